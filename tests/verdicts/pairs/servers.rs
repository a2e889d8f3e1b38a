//! Servers that break one rule each.

mod calls;
mod legacy;
mod modern;

use serde_json::{Value, json};

use crate::raw::server::{Asked, Bend, Era, Reply};
use crate::servers::Row;

const fn breaks(era: Era, mode: &'static str, red: &'static [&'static str], bend: Bend) -> Row {
    Row { mode, era, bend, red }
}

/// All of them.
pub fn pairs() -> Vec<&'static Row> {
    legacy::PAIRS.iter().chain(modern::PAIRS).chain(calls::PAIRS).collect()
}

fn completes_too_much(asked: &Asked, reply: &mut Reply) {
    if asked.is("completion/complete") && reply.succeeds() {
        let values: Vec<String> = (0..101).map(|number| format!("A{number}")).collect();
        reply.result_mut()["completion"]["values"] = json!(values);
    }
}

fn takes_anything(asked: &Asked, reply: &mut Reply) {
    if asked.verb == "POST" && !asked.message.is_object() && !asked.message.is_array() {
        *reply = Reply::status(202);
    }
}

fn says_as_system(asked: &Asked, reply: &mut Reply) {
    if asked.is("prompts/get") && reply.succeeds() {
        reply.result_mut()["messages"][0]["role"] = "system".into();
    }
}

fn without_uri(asked: &Asked, reply: &mut Reply) {
    if asked.is("resources/read") && reply.succeeds() {
        reply.result_mut()["contents"][0].as_object_mut().unwrap().remove("uri");
    }
}

fn misspells_a_type(asked: &Asked, reply: &mut Reply) {
    if asked.is("tools/list") && asked.param("cursor").is_null() && reply.succeeds() {
        reply.result_mut()["tools"][0]["inputSchema"]["properties"]["message"]["type"] =
            "strin".into();
    }
}
