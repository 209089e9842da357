//! Serving clients over streamable HTTP.

use std::{convert::Infallible, future::Future, net::SocketAddr, sync::Arc, time::Duration};

use http_body_util::{BodyExt, Full, combinators::BoxBody};
use hyper::{
    Request, Response, StatusCode,
    body::{Body, Bytes, Incoming},
    header::{AUTHORIZATION, CONTENT_TYPE, HeaderValue, WWW_AUTHENTICATE},
    server::conn::http1,
    service::service_fn,
};
use hyper_util::rt::{TokioIo, TokioTimer};
use rmcp::transport::streamable_http_server::{
    StreamableHttpServerConfig, StreamableHttpService, session::never::NeverSessionManager,
};
use sha2::{Digest, Sha256};
use tokio::{
    net::{TcpListener, TcpStream},
    pin,
    sync::{Semaphore, watch},
    task::JoinSet,
    time::{sleep, timeout},
};

use crate::{
    ServeError,
    body::{KeptBody, wrong},
    calls::Calls,
    handler::Handler,
    stop::asked_to_end,
    tools::Toolbox,
};

/// The path of the server.
pub const PATH: &str = "/mcp";

/// How this server may be called where no other names are given.
const LOOPBACK: [&str; 3] = ["localhost", "127.0.0.1", "::1"];

/// Connections at once; others wait.
const CONNECTIONS: usize = 256;

/// How long a client may take to send the head of a request.
const HEAD: Duration = Duration::from_secs(30);

/// How long the end of the server waits for clients to take their answers.
const DRAIN: Duration = Duration::from_secs(2);

/// Where to listen, and to whom.
#[derive(Debug, Clone)]
pub struct HttpSettings {
    /// The address; port 0 is any that is free.
    pub address: SocketAddr,
    /// Names besides those of loopback that a request may call this server by: `host` or `host:port`.
    pub hosts: Vec<String>,
    /// Origins of pages whose requests are answered: `https://host:port`, with `*` for any port. A request without an
    /// origin comes from no page.
    pub origins: Vec<String>,
    /// What clients send as `Authorization: Bearer`, where not everybody on this machine is to be answered.
    pub key: Option<String>,
}

type HttpResponse = Response<BoxBody<Bytes, Infallible>>;

/// Serves clients until the process is asked to end; `listening` is told the address.
///
/// No session is kept between requests. Calls that run at the end are finished, and answered.
///
/// # Errors
/// When the address cannot be listened on, or would be open to strangers.
pub fn serve_http(
    toolbox: Toolbox,
    settings: &HttpSettings,
    listening: impl FnOnce(SocketAddr),
) -> Result<(), ServeError> {
    let address = settings.address;
    if !address.ip().is_loopback() && (settings.key.is_none() || settings.hosts.is_empty()) {
        return Err(ServeError::Exposed { address });
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(ServeError::Start)?;
    let calls = Calls::new(toolbox);
    let served = runtime.block_on(async {
        let unheard = |source| ServeError::Listen { address, source };
        let listener = TcpListener::bind(address).await.map_err(unheard)?;
        listening(listener.local_addr().map_err(unheard)?);
        let guarded = GuardedService::new(&calls, settings);
        let (end, ended) = watch::channel(());
        let mut connections = JoinSet::new();
        tokio::select! {
            () = accept(&listener, &guarded, &ended, &mut connections) => {}
            () = asked_to_end() => {}
        }
        drop((listener, end));
        // A second signal waits for nothing.
        tokio::select! {
            () = drain(&calls, connections) => {}
            () = asked_to_end() => {}
        }
        Ok(())
    });
    runtime.shutdown_background();
    served
}

/// Takes connections without end.
async fn accept(
    listener: &TcpListener,
    guarded: &GuardedService,
    ended: &watch::Receiver<()>,
    connections: &mut JoinSet<()>,
) {
    let free = Arc::new(Semaphore::new(CONNECTIONS));
    loop {
        let Ok(place) = Arc::clone(&free).acquire_owned().await else { return };
        match listener.accept().await {
            Ok((stream, _)) => {
                let serving = serve(stream, guarded.clone(), ended.clone());
                connections.spawn(async move {
                    serving.await;
                    drop(place);
                });
            }
            // Out of descriptors, as a rule, which others give back.
            Err(_) => sleep(Duration::from_millis(100)).await,
        }
        while connections.try_join_next().is_some() {}
    }
}

async fn serve(stream: TcpStream, guarded: GuardedService, mut ended: watch::Receiver<()>) {
    let service = service_fn(move |request| {
        let guarded = guarded.clone();
        async move { Ok::<_, Infallible>(guarded.answer(request).await) }
    });
    let mut server = http1::Builder::new();
    server.timer(TokioTimer::new()).header_read_timeout(HEAD);
    let connection = server.serve_connection(TokioIo::new(stream), service);
    pin!(connection);
    // A connection that fails is its client's affair.
    tokio::select! {
        _ = connection.as_mut() => {}
        // Its sender is gone.
        _ = ended.changed() => {
            connection.as_mut().graceful_shutdown();
            let _ = connection.await;
        }
    }
}

async fn drain(calls: &Calls, mut connections: JoinSet<()>) {
    calls.end().await;
    let all = async { while connections.join_next().await.is_some() {} };
    // Whoever does not take an answer by then goes without.
    let _ = timeout(DRAIN, all).await;
}

/// The service, and who may call it.
#[derive(Clone)]
struct GuardedService {
    key: Option<Arc<[u8]>>,
    service: StreamableHttpService<Handler, NeverSessionManager>,
}

impl GuardedService {
    fn new(calls: &Calls, settings: &HttpSettings) -> Self {
        let hosts = LOOPBACK.into_iter().map(str::to_owned).chain(settings.hosts.iter().cloned());
        let config = StreamableHttpServerConfig::default()
            .with_legacy_session_mode(false)
            .with_json_response(true)
            .with_allowed_hosts(hosts)
            .with_allowed_origins(settings.origins.clone())
            .enforce_origin_validation();
        let handler = Handler::new(calls.clone());
        let service = StreamableHttpService::new(move || Ok(handler.clone()), Arc::default(), config);
        Self { key: settings.key.as_deref().map(digest), service }
    }

    fn answer(&self, request: Request<Incoming>) -> impl Future<Output = HttpResponse> + use<> {
        let refused = self.refusal(&request);
        let service = self.service.clone();
        async move {
            if let Some(refused) = refused {
                return refused;
            }
            let (head, body) = request.into_parts();
            let (body, read) = KeptBody::new(body);
            let response = service.handle(Request::from_parts(head, body)).await;
            match read.whole() {
                // Its media type was right, or it would not have been read.
                Some(body) if response.status() == StatusCode::UNSUPPORTED_MEDIA_TYPE => no_message(&body),
                _ => response,
            }
        }
    }

    fn refusal(&self, request: &Request<impl Body>) -> Option<HttpResponse> {
        if let Some(key) = &self.key {
            let given = request.headers().get(AUTHORIZATION).map(|value| value.as_bytes());
            let given = given.and_then(bearer).map(digest_of_bytes);
            // Digests are compared, so that the time says nothing about the key.
            if given.as_ref() != Some(key) {
                let mut refused =
                    plain(StatusCode::UNAUTHORIZED, "Authorization: expected Bearer and the server's key\n");
                refused.headers_mut().insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
                return Some(refused);
            }
        }
        (request.uri().path() != PATH).then(|| plain(StatusCode::NOT_FOUND, "nothing is here; the server is at /mcp\n"))
    }
}

/// What follows `Bearer` in a header.
fn bearer(value: &[u8]) -> Option<&[u8]> {
    let (scheme, rest) = value.split_at_checked(7)?;
    scheme.eq_ignore_ascii_case(b"bearer ").then(|| rest.trim_ascii())
}

fn digest(key: &str) -> Arc<[u8]> {
    digest_of_bytes(key.as_bytes())
}

fn digest_of_bytes(key: &[u8]) -> Arc<[u8]> {
    Sha256::digest(key).iter().copied().collect()
}

/// Answers a body that holds no message.
fn no_message(body: &[u8]) -> HttpResponse {
    let mut response = Response::new(Full::new(Bytes::from(wrong(body).to_string())).boxed());
    *response.status_mut() = StatusCode::BAD_REQUEST;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}

fn plain(status: StatusCode, text: &'static str) -> HttpResponse {
    let mut response = Response::new(Full::new(Bytes::from_static(text.as_bytes())).boxed());
    *response.status_mut() = status;
    response
}
