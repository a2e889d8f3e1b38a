//! What scripts can do with the messages and the exchanges of `seen`.

use std::time::Duration;

use rhai::Dynamic;
use serde_json::Value;

use crate::mcp::mirror;
use crate::script::api::{Api, ScriptType, Text};
use crate::script::observation::{Message, SeenExchange, aborted, header};
use crate::script::value::{Absent, List, from_json};
use crate::wire::Exchange;
use crate::wire::exchange::End;

impl ScriptType for Message {
    const NAME: &'static str = "Message";
}

impl ScriptType for SeenExchange {
    const NAME: &'static str = "Exchange";
}

/// Declares messages and exchanges.
pub(super) fn declare(api: &mut Api) {
    api.methods::<Message>(
        "messages",
        "message",
        "One JSON-RPC message, from the lists of `seen`. Its own members are properties: \
         `message.params.name`.",
    )
    .doc("The method; `()` in a response.")
    .property("method: any", |message| from_json(message.member("method")))
    .doc("The id of a request or a response.")
    .property("id: any", |message| from_json(message.member("id")))
    .doc("The params of a request or a notification.")
    .property("params: any", |message| from_json(message.member("params")))
    .doc("The `arguments` in the params: those of a tool's call.")
    .property("arguments: any", |message| from_json(&message.member("params")["arguments"]))
    .doc("The result of a response.")
    .property("result: any", |message| from_json(message.member("result")))
    .doc("The error of a response.")
    .property("error: any", |message| from_json(message.member("error")))
    .doc("The version of JSON-RPC.")
    .property("jsonrpc: any", |message| from_json(message.member("jsonrpc")))
    .doc("Whether the member is there, even if it is null.")
    .function("has(member: string) -> bool", |message, name: Text| {
        !message.member(&name).is_null() || message.data.json().get(name.as_str()).is_some()
    })
    .doc("The response to this request; absent if none came.")
    .property("response: any", |message| {
        message.response().map_or_else(|| Dynamic::from(Absent), Dynamic::from)
    })
    .doc("The exchange that carried the message.")
    .property("exchange: Exchange", |message| {
        message.exchange().map_or_else(|| Dynamic::from(Absent), Dynamic::from)
    })
    .doc("Whether the exchange that carried it came to a status of success.")
    .property("accepted: bool", |message| message.is_accepted())
    .doc("Whether it was accepted, and answered with a result that is no tool's error.")
    .property("succeeded: bool", |message| message.succeeded())
    .doc("A header field of the request that carried the message.")
    .function("header(name: string) -> string or ()", |message, name: Text| {
        optional(message.carried(|exchange| header(&exchange.headers, &name)))
    })
    .doc(
        "What that header field stands for: decoded, if it is the base64 form of 2026-07-28; \
         `()` if it is not there once, or cannot be decoded.",
    )
    .function("mirrored(name: string) -> string or ()", |message, name: Text| {
        optional(message.carried(|exchange| {
            let mut values = exchange.headers.get_all(name.as_str()).iter();
            let value = values.next().filter(|_| values.next().is_none());
            value.and_then(mirror::decode)
        }))
    })
    .doc("When all of it had been sent, in milliseconds since the beginning.")
    .property("at: integer", |message| {
        message.observation.touch(message.data.exchange());
        milliseconds(message.data.at())
    })
    .doc("The message as JSON.")
    .function("to_string() -> string", |message, ()| message.data.json().to_string());
    api.methods::<SeenExchange>("exchanges", "exchange", "One HTTP request and its response.")
        .doc("Its place among all exchanges, from 0 on.")
        .property("index: integer", |exchange| exchange.index as i64)
        .doc("The HTTP method.")
        .property("method: string", |exchange| {
            read(exchange, |exchange| exchange.method.to_string())
        })
        .doc("The whole URL.")
        .property("url: string", |exchange| read(exchange, |exchange| exchange.uri.to_string()))
        .doc("The path of the URL.")
        .property("path: string", |exchange| {
            read(exchange, |exchange| exchange.uri.path().to_owned())
        })
        .doc("The query of the URL, without the question mark.")
        .property("query: string", |exchange| {
            read(exchange, |exchange| exchange.uri.query().unwrap_or_default().to_owned())
        })
        .doc("A header field of the request.")
        .function("header(name: string) -> string or ()", |exchange, name: Text| {
            optional(exchange.get().and_then(|exchange| header(&exchange.headers, &name)))
        })
        .doc("The body of the request.")
        .property("body: string", |exchange| read(exchange, |exchange| text(&exchange.body)))
        .doc("The body of the request as JSON; `()` if it is none.")
        .property("json: any", |exchange| read(exchange, |exchange| json(&exchange.body)))
        .doc("The JSON-RPC messages in the request.")
        .property("messages: List", |exchange| -> List {
            let observation = &exchange.observation;
            let of_exchange = observation.sent_in(exchange.index).iter();
            of_exchange
                .map(|data| {
                    let observation = observation.clone();
                    Dynamic::from(Message { observation, data: data.clone() })
                })
                .collect()
        })
        .doc("The status of the response; `()` if none came.")
        .property("status: integer or ()", |exchange| {
            read(exchange, |exchange| {
                exchange
                    .response
                    .as_ref()
                    .map_or(Dynamic::UNIT, |head| i64::from(head.status.as_u16()).into())
            })
        })
        .doc("A header field of the response.")
        .function("response_header(name: string) -> string or ()", |exchange, name: Text| {
            let head = exchange.get().and_then(|exchange| exchange.response.as_ref());
            optional(head.and_then(|head| header(&head.headers, &name)))
        })
        .doc("The body of the response, as far as it came.")
        .property("response_body: string", |exchange| {
            read(exchange, |exchange| text(&exchange.response_body))
        })
        .doc("The body of the response as JSON; `()` if it is none.")
        .property("response_json: any", |exchange| {
            read(exchange, |exchange| json(&exchange.response_body))
        })
        .doc("When it was sent, in milliseconds since the beginning.")
        .property("at: integer", |exchange| read(exchange, |exchange| milliseconds(exchange.at)))
        .doc("When the response was complete, in milliseconds since the beginning.")
        .property("completed_at: integer or ()", |exchange| {
            read(exchange, |exchange| {
                exchange.completed_at.map_or(Dynamic::UNIT, |at| milliseconds(at).into())
            })
        })
        .doc("Whether the status of the response is one of success.")
        .property("accepted: bool", |exchange| read(exchange, |exchange| exchange.accepted()))
        .doc("Whether the client closed the exchange before its end.")
        .property("aborted: bool", |exchange| read(exchange, |exchange| aborted(exchange)))
        .doc("Whether the response came to its end.")
        .property("complete: bool", |exchange| {
            read(exchange, |exchange| exchange.end == End::Complete)
        });
}

/// What `read` finds in an exchange; nothing, if it is not there.
fn read<T: Default>(exchange: &SeenExchange, read: fn(&Exchange) -> T) -> T {
    exchange.get().map(read).unwrap_or_default()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn json(bytes: &[u8]) -> Dynamic {
    serde_json::from_slice::<Value>(bytes).map_or(Dynamic::UNIT, |value| from_json(&value))
}

/// A text, or nothing.
pub(super) fn optional(text: Option<String>) -> Dynamic {
    text.map_or(Dynamic::UNIT, Dynamic::from)
}

fn milliseconds(time: Duration) -> i64 {
    i64::try_from(time.as_millis()).unwrap_or(i64::MAX)
}
