//! Serving one client over standard input and output.

use rmcp::{service::ServerInitializeError, transport::stdio_pipes};
use tokio::pin;

use crate::{ServeError, calls::Calls, handler::Handler, stop::asked_to_end, tools::Toolbox};

/// Serves the client at standard input and output until it closes its end, or the process is asked to end.
///
/// Calls that run by then are finished, and answered where the client still listens.
///
/// # Errors
/// When the server cannot be started, or the client does not begin as the protocol says.
pub fn serve_stdio(toolbox: Toolbox) -> Result<(), ServeError> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(ServeError::Start)?;
    let calls = Calls::new(toolbox);
    let served = runtime.block_on(async {
        let served = serve(&calls).await;
        // A second signal waits for nothing.
        tokio::select! {
            () = calls.end() => {}
            () = asked_to_end() => {}
        }
        served
    });
    // A thread may wait for standard input without end.
    runtime.shutdown_background();
    served
}

async fn serve(calls: &Calls) -> Result<(), ServeError> {
    let begun = tokio::select! {
        begun = rmcp::serve_server(Handler::new(calls.clone()), stdio_pipes()) => begun,
        () = asked_to_end() => return Ok(()),
    };
    let running = match begun {
        Ok(running) => running,
        // A client that looked for the program only, and went away.
        Err(ServerInitializeError::ConnectionClosed(_)) => return Ok(()),
        Err(ServerInitializeError::ExpectedInitializeRequest(_)) => return Err(ServeError::NoRequest),
        // What the errors hold was said by the client, and is not shown.
        Err(_) => return Err(ServeError::Connection),
    };
    let stop = running.cancellation_token();
    let ended = running.waiting();
    pin!(ended);
    let ended = tokio::select! {
        ended = &mut ended => ended,
        () = asked_to_end() => {
            stop.cancel();
            ended.await
        }
    };
    ended.map(|_| ()).map_err(|_| ServeError::Connection)
}
