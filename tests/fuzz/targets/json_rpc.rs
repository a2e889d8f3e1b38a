//! Messages of JSON-RPC, and their judgement by the types of each revision.

use std::hash::DefaultHasher;

use mcp_checks::mcp::Revision;
use mcp_checks::mcp::json_rpc::{InvalidMessage, Message, same_id};
use mcp_checks::mcp::schema::{self, Answered};
use mcp_checks::wire::Sender;
use serde_json::Value;

use crate::engine::{Target, about, note};

pub const TARGET: Target = Target {
    name: "json_rpc",
    seeds: Vec::new,
    words: &[
        "\"jsonrpc\":\"2.0\",",
        "\"id\":1,",
        "\"id\":null,",
        "\"id\":1.0,",
        "\"id\":\"a\",",
        "\"method\":\"tools/call\",",
        "\"params\":{\"name\":\"add\",\"arguments\":{\"a\":1}}",
        "\"result\":{}",
        "\"error\":{\"code\":-32601,\"message\":\"no\"}",
        "\"data\":",
        "\"_meta\":{}",
        "\"resultType\":\"complete\"",
        "[",
        "]",
        "{",
        "}",
        ",",
        ":",
        "null",
        "\\u0000",
        "\\ud800",
        "1e309",
        "{\"a\":",
    ],
    read,
};

fn read(input: &[u8], hasher: &mut DefaultHasher) {
    let single = Message::parse(input, false);
    let batch = Message::parse(input, true);
    let value = serde_json::from_slice::<Value>(input);
    note(hasher, single.as_ref().err().map(std::mem::discriminant));
    note(hasher, batch.as_ref().map_or(0, |messages| about(messages.len())));

    // Both agree on what is JSON, and a batch is an array alone.
    let is_empty = input.trim_ascii().is_empty();
    assert_eq!(single == Err(InvalidMessage::Empty), is_empty);
    assert_eq!(single == Err(InvalidMessage::NotJson), value.is_err() && !is_empty);
    match (&value, &single) {
        (Ok(Value::Array(_)), single) => assert_eq!(*single, Err(InvalidMessage::Batch)),
        (_, single) => assert_eq!(batch, *single),
    }
    for message in batch.iter().flatten() {
        note(hasher, std::mem::discriminant(message));
        // What was read, written, is read as the same.
        let written = match message {
            Message::Request(request) => request.to_value(),
            Message::Notification(notification) => notification.to_value(),
            Message::Response(response) => response.to_value(),
        };
        assert_eq!(Message::from_value(written).as_ref(), Ok(message));
        if let Message::Request(request) = message {
            assert!(same_id(&request.id, &request.id));
        }
    }
    // Whatever it is, each revision has a judgement on it, and the same one twice.
    let Ok(value) = value else { return };
    let answered = Answered::of(&value);
    for revision in Revision::ALL {
        for sender in [Sender::Client, Sender::Server] {
            let judged = schema::message(&value, revision, sender, answered.as_ref());
            note(hasher, judged.is_ok());
            if let Err(invalid) = &judged {
                note(hasher, about(invalid.to_string().len()));
            }
        }
    }
}
