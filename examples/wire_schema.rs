//! Says of each line of standard input whether it is valid: `valid`, or what is
//! wrong. `.ci/schemas` compares that with what the official schemas say.
//!
//! A line is JSON: `{"revision", "type", "value"}` holds a value against one
//! type, `{"revision", "sender", "answers", "message"}` a message that `client` or
//! `server` sent, where `answers` is the request that it answers, or null.

use std::error::Error;

use mcp_checks::mcp::Revision;
use mcp_checks::mcp::schema::{Answered, Sender, message, value};
use serde_json::Value;

fn main() -> Result<(), Box<dyn Error>> {
    for line in std::io::stdin().lines() {
        let line: Value = serde_json::from_str(&line?)?;
        let revision: Revision = line["revision"].as_str().ok_or("no revision")?.parse()?;
        let held = match line["type"].as_str() {
            Some(name) => value(&line["value"], revision, name).ok_or("no such type")?,
            None => {
                let sender = match line["sender"].as_str() {
                    Some("client") => Sender::Client,
                    Some("server") => Sender::Server,
                    _ => return Err("a sender is `client` or `server`".into()),
                };
                let answered = Answered::of(&line["answers"]);
                message(&line["message"], revision, sender, answered.as_ref())
            }
        };
        match held {
            Ok(()) => println!("valid"),
            Err(invalid) => println!("{invalid}"),
        }
    }
    Ok(())
}
