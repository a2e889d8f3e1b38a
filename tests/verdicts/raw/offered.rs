//! What both raw servers offer.

use serde_json::{Value, json};

use super::server::{Asked, Reply};

/// How many items a page has.
const PAGE: usize = 2;

pub fn tools(with_header: bool) -> Vec<Value> {
    let text = json!({ "type": "string" });
    let mut region = json!({
        "name": "region",
        "inputSchema": {
            "type": "object",
            "properties": { "region": text, "query": text },
            "required": ["region", "query"],
        },
    });
    if with_header {
        region["inputSchema"]["properties"]["region"]["x-mcp-header"] = "Region".into();
    }
    vec![
        json!({
            "name": "echo",
            "description": "Says what it is told.",
            "inputSchema": { "type": "object", "properties": { "message": text }, "required": ["message"] },
        }),
        json!({
            "name": "add",
            "inputSchema": {
                "type": "object",
                "properties": { "a": { "type": "integer" }, "b": { "type": "integer" } },
                "required": ["a", "b"],
            },
            "outputSchema": {
                "type": "object",
                "properties": { "sum": { "type": "integer" } },
                "required": ["sum"],
            },
        }),
        region,
    ]
}

fn resources() -> Vec<Value> {
    ["a", "b", "c"]
        .iter()
        .map(|name| json!({ "uri": format!("memo://{name}"), "name": name }))
        .collect()
}

fn prompts() -> Vec<Value> {
    vec![
        json!({ "name": "hi" }),
        json!({ "name": "greet", "arguments": [{ "name": "name", "required": true }] }),
        json!({ "name": "bye" }),
    ]
}

/// The page of a list that a request asks for; `None` if the cursor was never issued.
fn page(asked: &Asked, member: &str, items: &[Value]) -> Option<Value> {
    let start = match asked.param("cursor") {
        Value::Null => 0,
        Value::String(cursor) => {
            cursor.strip_prefix("after-")?.parse().ok().filter(|at| *at > 0 && *at < items.len())?
        }
        _ => return None,
    };
    let end = items.len().min(start + PAGE);
    let mut result = json!({ (member): items[start..end] });
    if end < items.len() {
        result["nextCursor"] = format!("after-{end}").into();
    }
    Some(result)
}

/// The result of a request that both eras know; an error's code if there is none.
pub fn result(asked: &Asked, is_modern: bool) -> Result<Value, i64> {
    let invalid = -32602;
    let paged = |member, items: Vec<Value>| page(asked, member, &items).ok_or(invalid);
    match asked.method() {
        "tools/list" => paged("tools", tools(is_modern)),
        "resources/list" => paged("resources", resources()),
        "resources/templates/list" => paged(
            "resourceTemplates",
            vec![json!({ "uriTemplate": "memo://{name}", "name": "memo" })],
        ),
        "prompts/list" => paged("prompts", prompts()),
        "tools/call" => call(asked).ok_or(invalid),
        "resources/read" => {
            let uri = asked.param("uri");
            let missing = if is_modern { invalid } else { -32002 };
            let known = resources().iter().any(|resource| resource["uri"] == *uri);
            let read = json!({ "contents": [{ "uri": uri, "text": "What it says." }] });
            known.then_some(read).ok_or(missing)
        }
        "prompts/get" => {
            let name = asked.param("name");
            let known = prompts().iter().any(|prompt| prompt["name"] == *name);
            let got = json!({ "messages": [{ "role": "user", "content": { "type": "text", "text": "Say hi." } }] });
            known.then_some(got).ok_or(invalid)
        }
        "completion/complete" => Ok(json!({ "completion": { "values": ["Ada", "Alan"] } })),
        _ => Err(-32601),
    }
}

fn call(asked: &Asked) -> Option<Value> {
    let arguments = asked.param("arguments");
    let text = match asked.param("name").as_str()? {
        "echo" => arguments["message"].as_str()?.to_owned(),
        "region" => format!("{} in {}", arguments["query"], arguments["region"]),
        "add" => {
            let sum = arguments["a"].as_i64()? + arguments["b"].as_i64()?;
            return Some(json!({
                "content": [{ "type": "text", "text": sum.to_string() }],
                "structuredContent": { "sum": sum },
            }));
        }
        _ => return None,
    };
    Some(json!({ "content": [{ "type": "text", "text": text }] }))
}

/// Tells how far a call came, if it asked for that.
pub fn tell_progress(asked: &Asked, reply: &mut Reply) {
    let token = &asked.param("_meta")["progressToken"];
    if token.is_null() || !reply.succeeds() {
        return;
    }
    let told = [1, 2].map(|progress| {
        json!({
            "jsonrpc": "2.0",
            "method": "notifications/progress",
            "params": { "progressToken": token, "progress": progress, "total": 2 },
        })
    });
    reply.before(told.to_vec());
}

/// Whether a request comes from a page of another place than this machine
/// (basic/transports#security-warning).
pub fn is_foreign(asked: &Asked) -> bool {
    asked.header("origin").is_some_and(|origin| {
        let host =
            origin.split("://").nth(1).unwrap_or_default().split(':').next().unwrap_or_default();
        host != "127.0.0.1" && host != "localhost"
    })
}
