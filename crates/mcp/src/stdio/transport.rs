//! Messages on lines: what the client may send, and what answers it where it is no message.
//!
//! The transport of `rmcp` passes over what it cannot read, and knows no batches.

use std::{collections::VecDeque, future::Future, io, sync::Arc};

use rmcp::{
    RoleServer,
    model::{
        ClientJsonRpcMessage, ClientNotification, ClientRequest, JsonRpcMessage, ProtocolVersion, RequestId,
        ServerJsonRpcMessage, ServerResult,
    },
    transport::Transport,
};
use serde_json::Value;
use tokio::{
    io::{AsyncRead, AsyncWrite, AsyncWriteExt},
    sync::Mutex,
    task::JoinHandle,
};

use super::{
    batches::Batches,
    beginning::{First, first},
    lines::{Line, Lines},
};
use crate::{
    calls::Calls,
    message::{Received, invalid, read, refusal},
};

/// Bytes of a line at the most.
const LONGEST_LINE: usize = 16 << 20;
const TOO_LONG: &str = "invalid request: a line is longer than 16 MiB, the most that is read; send less at once";
const NO_BATCHES: &str =
    "invalid request: only revision 2025-03-26 of the protocol has batches; send each message on a line of its own";

/// The messages of one client.
pub(super) struct LineTransport<R, W> {
    calls: Calls,
    lines: Lines<R>,
    output: Arc<Mutex<Option<W>>>,
    /// An answer of this transport that is on its way. It is a task of its own: whoever waits for a message may stop before it
    /// is written, and it holds the output.
    answering: Option<JoinHandle<io::Result<()>>>,
    /// What is left of a batch.
    received: VecDeque<ClientJsonRpcMessage>,
    batches: Batches,
    takes_batches: bool,
    has_begun: bool,
}

impl<R: AsyncRead + Unpin, W: AsyncWrite + Unpin + Send + 'static> LineTransport<R, W> {
    pub(super) fn new((input, output): (R, W), calls: Calls) -> Self {
        Self {
            calls,
            lines: Lines::new(input, LONGEST_LINE),
            output: Arc::new(Mutex::new(Some(output))),
            answering: None,
            received: VecDeque::new(),
            batches: Batches::default(),
            takes_batches: false,
            has_begun: false,
        }
    }

    fn answer(&mut self, answer: Value) {
        self.answering = Some(tokio::spawn(write(Arc::clone(&self.output), answer.to_string())));
    }

    /// Takes a line of the client.
    fn take(&mut self, line: Line) {
        let line = match line {
            Line::Whole(line) => line,
            Line::TooLong => return self.answer(invalid(TOO_LONG, None)),
        };
        match read(&line) {
            Received::Message(message) => self.received.push_back(*message),
            Received::Nothing => {}
            Received::Refused(answer) => self.answer(answer),
            Received::Batch(_) if !self.takes_batches => self.answer(invalid(NO_BATCHES, None)),
            Received::Batch(batch) => {
                let (messages, answer) = self.batches.begin(batch);
                self.received.extend(messages);
                answer.into_iter().for_each(|answer| self.answer(answer));
            }
        }
    }

    /// The message, unless it is answered here. A call gets its place in the order of all calls: nothing that comes later sees to
    /// it, since each request is answered by a task of its own.
    fn pass(&mut self, mut message: ClientJsonRpcMessage) -> Option<ClientJsonRpcMessage> {
        match &mut message {
            JsonRpcMessage::Request(request) => {
                if !self.has_begun {
                    match first(&request.request) {
                        First::Begins => self.has_begun = true,
                        First::Served => {}
                        First::Refused(error) => {
                            self.answer(refusal(error, Some(request.id.clone())));
                            return None;
                        }
                    }
                }
                if let ClientRequest::CallToolRequest(call) = &mut request.request
                    && let Some(place) = self.calls.place(&call.params.name)
                {
                    call.extensions.insert(place);
                }
            }
            JsonRpcMessage::Notification(notification) => {
                if let ClientNotification::CancelledNotification(cancelled) = &notification.notification
                    && let Some(id) = &cancelled.params.request_id
                    && let Some(answer) = self.batches.answer(id, None)
                {
                    self.answer(answer);
                }
            }
            JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_) => {}
        }
        Some(message)
    }

    /// The next message that others answer; `None` at the end of the input, or where nobody takes answers.
    async fn next(&mut self) -> Option<ClientJsonRpcMessage> {
        loop {
            if let Some(answering) = &mut self.answering {
                let written = answering.await;
                self.answering = None;
                written.ok()?.ok()?;
            }
            match self.received.pop_front() {
                Some(message) => {
                    if let Some(message) = self.pass(message) {
                        return Some(message);
                    }
                }
                None => {
                    let Some(line) = self.lines.next().await else {
                        // `rmcp` waits five seconds for answers after the end, and gives up what is not begun by then.
                        self.calls.idle().await;
                        return None;
                    };
                    self.take(line);
                }
            }
        }
    }
}

/// Writes a line.
async fn write<W: AsyncWrite + Unpin>(output: Arc<Mutex<Option<W>>>, mut line: String) -> io::Result<()> {
    line.push('\n');
    let mut output = output.lock().await;
    let output = output.as_mut().ok_or(io::ErrorKind::NotConnected)?;
    output.write_all(line.as_bytes()).await?;
    output.flush().await
}

/// The id of a request that a message answers.
fn answered(message: &ServerJsonRpcMessage) -> Option<&RequestId> {
    match message {
        JsonRpcMessage::Response(response) => Some(&response.id),
        JsonRpcMessage::Error(error) => error.id.as_ref(),
        JsonRpcMessage::Request(_) | JsonRpcMessage::Notification(_) => None,
    }
}

impl<R, W> Transport<RoleServer> for LineTransport<R, W>
where
    R: AsyncRead + Unpin + Send + 'static,
    W: AsyncWrite + Unpin + Send + 'static,
{
    type Error = io::Error;

    fn send(&mut self, message: ServerJsonRpcMessage) -> impl Future<Output = io::Result<()>> + Send + 'static {
        if let JsonRpcMessage::Response(response) = &message
            && let ServerResult::InitializeResult(begun) = &response.result
        {
            self.takes_batches = begun.protocol_version == ProtocolVersion::V_2025_03_26;
        }
        let line = match answered(&message).filter(|id| self.batches.awaits(id)) {
            None => serde_json::to_string(&message).map(Some),
            Some(id) => serde_json::to_value(&message)
                .map(|answer| self.batches.answer(id, Some(answer)).map(|answers| answers.to_string())),
        };
        let output = Arc::clone(&self.output);
        async move {
            match line? {
                Some(line) => write(output, line).await,
                // Its batch is not complete.
                None => Ok(()),
            }
        }
    }

    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        let message = self.next().await;
        if message.is_none() {
            self.calls.keep();
        }
        message
    }

    async fn close(&mut self) -> io::Result<()> {
        drop(self.output.lock().await.take());
        Ok(())
    }
}
