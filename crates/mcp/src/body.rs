//! Bodies of HTTP requests, and what answers one that holds no message.
//!
//! The service of `rmcp` says of such a body that its media type is not supported. It says so after it has looked at everything
//! else, and has read the body: what it read is kept beside it.

use std::{
    pin::Pin,
    sync::{Arc, Mutex, PoisonError},
    task::{Context, Poll, ready},
};

use hyper::body::{Body, Bytes, Frame, SizeHint};
use rmcp::ErrorData;
use serde_json::Value;

use crate::message::{Received, invalid, read, refusal};

const NO_BATCHES: &str = "invalid request: batches are served over standard input and output alone, in revision 2025-03-26; send \
                          each message in a request of its own";
const NO_MESSAGE: &str = "invalid request: expected one message, an object with \"jsonrpc\": \"2.0\" and a method, in UTF-8 without \
                          a byte order mark";

/// A body that keeps what is read of it.
pub(crate) struct KeptBody<B> {
    body: B,
    kept: Read,
}

/// What was read of a body.
#[derive(Debug, Clone, Default)]
pub(crate) struct Read(Arc<Mutex<(Vec<Bytes>, IsWhole)>>);

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum IsWhole {
    #[default]
    No,
    Yes,
}

impl<B> KeptBody<B> {
    pub(crate) fn new(body: B) -> (Self, Read) {
        let kept = Read::default();
        (Self { body, kept: kept.clone() }, kept)
    }
}

impl Read {
    /// The body; `None` where it was not read to its end.
    pub(crate) fn whole(&self) -> Option<Vec<u8>> {
        let read = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        (read.1 == IsWhole::Yes).then(|| read.0.concat())
    }
}

impl<B: Body<Data = Bytes> + Unpin> Body for KeptBody<B> {
    type Data = Bytes;
    type Error = B::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        let frame = ready!(Pin::new(&mut self.body).poll_frame(context));
        let mut read = self.kept.0.lock().unwrap_or_else(PoisonError::into_inner);
        match &frame {
            None => read.1 = IsWhole::Yes,
            Some(frame) => read.0.extend(frame.as_ref().ok().and_then(Frame::data_ref).cloned()),
        }
        drop(read);
        Poll::Ready(frame)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// The error that answers a body without a message.
pub(crate) fn wrong(body: &[u8]) -> Value {
    match read(body) {
        Received::Refused(answer) => answer,
        Received::Batch(_) => invalid(NO_BATCHES, None),
        Received::Nothing if body.trim_ascii().is_empty() => {
            refusal(ErrorData::parse_error("parse error: the body is empty", None), None)
        }
        Received::Nothing | Received::Message(_) => invalid(NO_MESSAGE, None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_wrong_with_a_body_is_told() {
        for (body, code, why) in [
            ("", -32700, "the body is empty"),
            ("{", -32700, "no JSON"),
            ("[]", -32600, "batches"),
            ("3", -32600, "an object with \"jsonrpc\""),
            ("{\"method\": \"x\"}", -32600, "an object with \"jsonrpc\""),
            ("\u{feff}{\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": \"ping\"}", -32600, "byte order mark"),
        ] {
            let answer = wrong(body.as_bytes());
            assert_eq!((&answer["error"]["code"], &answer["id"]), (&code.into(), &Value::Null), "{body}");
            assert!(answer["error"]["message"].as_str().unwrap().contains(why), "{answer}");
        }
    }
}
