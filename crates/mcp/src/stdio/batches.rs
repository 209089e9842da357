//! Batches of the revision 2025-03-26: several messages on a line, whose answers are one line too.

use std::collections::HashMap;

use rmcp::model::{ClientJsonRpcMessage, JsonRpcMessage, RequestId};
use serde_json::Value;

use crate::message::{Received, invalid, message_of};

/// Batches whose answers are not all there.
#[derive(Debug, Default)]
pub(super) struct Batches {
    begun: u64,
    open: HashMap<u64, Batch>,
    /// The batch of each request without an answer.
    unanswered: HashMap<RequestId, u64>,
}

/// What answers a batch so far, and how many answers are to come.
#[derive(Debug, Default)]
struct Batch {
    answers: Vec<Value>,
    missing: usize,
}

impl Batches {
    /// Takes a batch: its messages, and its answer where that is complete already.
    pub(super) fn begin(&mut self, messages: Vec<Value>) -> (Vec<ClientJsonRpcMessage>, Option<Value>) {
        if messages.is_empty() {
            return (Vec::new(), Some(invalid("invalid request: the batch is empty", None)));
        }
        self.begun += 1;
        let (mut served, mut batch) = (Vec::new(), Batch::default());
        for message in messages {
            match message_of(message) {
                Received::Message(message) => match *message {
                    // Both answers would have the same id, and the second one never comes.
                    JsonRpcMessage::Request(request) if self.awaits(&request.id) => {
                        let why = "invalid request: another request of a batch has this id";
                        batch.answers.push(invalid(why, Some(request.id)));
                    }
                    JsonRpcMessage::Request(request) => {
                        self.unanswered.insert(request.id.clone(), self.begun);
                        batch.missing += 1;
                        served.push(JsonRpcMessage::Request(request));
                    }
                    other => served.push(other),
                },
                Received::Refused(answer) => batch.answers.push(answer),
                Received::Nothing => {}
                Received::Batch(_) => batch.answers.push(invalid("invalid request: a batch in a batch", None)),
            }
        }
        if batch.missing == 0 {
            return (served, batch.answer());
        }
        self.open.insert(self.begun, batch);
        (served, None)
    }

    /// Whether a request of a batch has this id, and no answer yet.
    pub(super) fn awaits(&self, id: &RequestId) -> bool {
        self.unanswered.contains_key(id)
    }

    /// Takes the answer to a request, or `None` for one that is cancelled and gets none. Gives the answer to its batch
    /// where that is complete now.
    pub(super) fn answer(&mut self, id: &RequestId, answer: Option<Value>) -> Option<Value> {
        let number = self.unanswered.remove(id)?;
        let batch = self.open.get_mut(&number)?;
        batch.answers.extend(answer);
        batch.missing = batch.missing.saturating_sub(1);
        if batch.missing > 0 {
            return None;
        }
        self.open.remove(&number).and_then(Batch::answer)
    }
}

impl Batch {
    /// The answer to a batch; notifications alone have none.
    fn answer(self) -> Option<Value> {
        (!self.answers.is_empty()).then_some(Value::Array(self.answers))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn ping(id: i64) -> Value {
        json!({"jsonrpc": "2.0", "id": id, "method": "ping"})
    }

    fn answer(batches: &mut Batches, id: i64) -> Option<Value> {
        batches.answer(&RequestId::Number(id), Some(json!(id)))
    }

    #[test]
    fn the_answers_to_a_batch_are_one() {
        let mut batches = Batches::default();
        let noted = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
        let (messages, complete) = batches.begin(vec![ping(1), noted.clone(), ping(2), json!(3)]);
        assert_eq!((messages.len(), complete), (3, None));
        assert!(batches.begin(vec![ping(4)]).1.is_none() && batches.awaits(&RequestId::Number(4)));
        assert_eq!(answer(&mut batches, 2), None);
        assert_eq!(answer(&mut batches, 9), None);
        assert_eq!(answer(&mut batches, 4), Some(json!([4])));
        let all = answer(&mut batches, 1).unwrap();
        assert_eq!((&all[0]["error"]["code"], &all[1], &all[2]), (&json!(-32600), &json!(2), &json!(1)));
        assert_eq!(batches.begin(vec![noted]).1, None);
    }

    #[test]
    fn what_a_batch_cannot_answer_keeps_no_other_waiting() {
        let mut batches = Batches::default();
        assert_eq!(batches.begin(Vec::new()).1.unwrap()["error"]["code"], -32600);
        assert_eq!(batches.begin(vec![json!([])]).1.unwrap()[0]["id"], Value::Null);
        let (messages, _) = batches.begin(vec![ping(1), ping(1), ping(2)]);
        assert_eq!(messages.len(), 2);
        assert_eq!(batches.answer(&RequestId::Number(1), None), None);
        let all = answer(&mut batches, 2).unwrap();
        assert_eq!((all.as_array().unwrap().len(), &all[0]["id"], &all[1]), (2, &json!(1), &json!(2)));
        assert!(!batches.awaits(&RequestId::Number(1)));
    }
}
