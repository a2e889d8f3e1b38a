//! The operator's commands, against a scripted server on a socket.
#![cfg(unix)]

mod auditing;
mod calling;
mod pinging;
mod storing;
mod tools;

use std::path::Path;

use mcp_checks::mcp::server::Action;
use serde_json::{Value, json};

use crate::far_side::{FarSide, text, tool};
use crate::place::{Place, Ran};

/// A folder with the profile `shop` of a server, and a store of its own.
pub struct Desk {
    pub place: Place,
    pub far_side: FarSide,
}

impl Desk {
    /// A server with three tools, one for each outcome.
    pub fn new() -> Desk {
        Desk::with(FarSide::new(|server| {
            server.tool(tool("greet", |arguments| {
                text(&format!("Hello, {}.", arguments["name"].as_str().unwrap_or("nobody")))
            }));
            server.tool(tool("fail", |_| {
                Action::Value(json!({
                    "content": [{ "type": "text", "text": "the words of the server" }],
                    "isError": true,
                }))
            }));
            server.tool(tool("hang", |_| Action::Silence));
        }))
    }

    pub fn with(far_side: FarSide) -> Desk {
        let place = Place::new();
        place.write("profiles/shop.toml", &far_side.profile(false));
        Desk { place, far_side }
    }

    /// The same with the tools taken in, and these enabled.
    pub fn enabled(self, names: &[&str]) -> Desk {
        self.run(&["tools", "shop"]).exits(0);
        for name in names {
            self.run(&["tools", "shop", "--enable", name]).exits(0);
        }
        self
    }

    pub fn run(&self, arguments: &[&str]) -> Ran {
        self.place.run_with(arguments, &[("MCP_CHECKS_STORE", self.store().to_str().unwrap())])
    }

    pub fn store(&self) -> std::path::PathBuf {
        self.place.path("store")
    }

    pub fn audit(&self) -> Value {
        self.run(&["audit", "--json"]).exits(0).json()
    }

    /// How many calls reached the server.
    pub fn calls(&self) -> usize {
        self.far_side.methods().iter().filter(|method| *method == "tools/call").count()
    }
}

/// One value of a store, read by the database alone.
pub fn query(store: &Path, query: &str) -> Vec<String> {
    let connection = rusqlite::Connection::open(store).unwrap();
    let mut statement = connection.prepare(query).unwrap();
    statement.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect()
}

/// The words of a text, whatever the lines are broken at.
pub fn words(text: &str) -> String {
    text.split_whitespace().filter(|word| *word != "│").collect::<Vec<_>>().join(" ")
}
