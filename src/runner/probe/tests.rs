//! What is found out about servers that are scripted request by request, on a
//! paused clock.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use http::StatusCode;
use serde_json::{Value, json};
use tokio::time::Instant;

use super::*;
use crate::wire::http::BoxFuture;
use crate::wire::{Body, ClientError, Request, Response};

/// What a server answers to a message: a status and a body; `None` never comes.
type Script = fn(&Value) -> Option<(u16, Value)>;

struct Server {
    script: Script,
    /// The HTTP method of each request, and its session.
    seen: Mutex<Vec<(String, Option<String>)>>,
}

impl HttpClient for Server {
    fn send(&self, request: Request) -> BoxFuture<'_, Result<Response, ClientError>> {
        Box::pin(async move {
            let session = request.headers().get("mcp-session-id");
            let session = session.map(|id| id.to_str().unwrap().to_owned());
            self.seen.lock().unwrap().push((request.method().to_string(), session));
            let message: Value = serde_json::from_slice(request.body()).unwrap_or_default();
            let Some((status, mut body)) = (self.script)(&message) else {
                return std::future::pending().await;
            };
            let mut response = Response::new(Body::whole(""));
            *response.status_mut() = StatusCode::from_u16(status).unwrap();
            if message["method"] == "initialize" && body.get("result").is_some() {
                response.headers_mut().insert("mcp-session-id", "s".parse().unwrap());
            }
            if body.is_object() {
                body["jsonrpc"] = json!("2.0");
                body["id"] = message["id"].clone();
                let media_type = "application/json".parse().unwrap();
                response.headers_mut().insert(http::header::CONTENT_TYPE, media_type);
                *response.body_mut() = Body::whole(body.to_string());
            }
            Ok(response)
        })
    }
}

async fn ask_all(script: Script) -> (Result<Spoken, Unreachable>, Arc<Server>) {
    let server = Arc::new(Server { script, seen: Mutex::default() });
    let url = Uri::from_static("http://server.test/mcp");
    (probe(server.clone(), &url, &HeaderMap::new()).await, server)
}

fn initialized(version: &str) -> Option<(u16, Value)> {
    let server = json!({ "name": "s", "version": "1" });
    Some((
        200,
        json!({ "result": { "protocolVersion": version, "capabilities": {}, "serverInfo": server } }),
    ))
}

/// A server of these versions with a handshake, which answers another one by its
/// latest.
fn legacy(message: &Value, versions: &[&str]) -> Option<(u16, Value)> {
    match message["method"].as_str() {
        Some("initialize") => {
            let asked = message["params"]["protocolVersion"].as_str()?;
            initialized(if versions.contains(&asked) { asked } else { versions[0] })
        }
        Some("notifications/initialized") => Some((202, Value::Null)),
        None => Some((200, Value::Null)),
        Some(_) => Some((400, json!({ "error": { "code": -32000, "message": "no session" } }))),
    }
}

fn discovered() -> Option<(u16, Value)> {
    Some((
        200,
        json!({ "result": {
            "resultType": "complete", "supportedVersions": ["2026-07-28"], "capabilities": {},
            "ttlMs": 0, "cacheScope": "private",
        } }),
    ))
}

fn revisions(spoken: Result<Spoken, Unreachable>) -> Vec<&'static str> {
    spoken.unwrap().revisions.iter().map(|revision| revision.as_str()).collect()
}

#[tokio::test(start_paused = true)]
async fn a_version_is_spoken_if_the_server_answers_with_it() {
    let (spoken, server) = ask_all(|message| legacy(message, &["2025-11-25", "2025-03-26"])).await;
    assert_eq!(revisions(spoken), ["2025-11-25", "2025-03-26"]);
    let seen = server.seen.lock().unwrap();
    let ended = seen.iter().filter(|(method, session)| method == "DELETE" && session.is_some());
    assert_eq!(ended.count(), 3, "no session stays open: {seen:?}");
}

#[tokio::test(start_paused = true)]
async fn a_server_of_both_eras_is_asked_for_each() {
    let (spoken, _) = ask_all(|message| match message["method"].as_str() {
        Some("server/discover") => discovered(),
        _ => legacy(message, &["2025-11-25", "2025-06-18", "2025-03-26"]),
    })
    .await;
    assert_eq!(revisions(spoken), ["2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26"]);
}

#[tokio::test(start_paused = true)]
async fn a_server_that_answers_as_it_should_not_speaks_all_the_same() {
    let (spoken, _) = ask_all(|message| match message["method"].as_str() {
        Some("initialize") => Some((200, json!({ "result": { "protocolVersion": "2025-06-18" } }))),
        _ => Some((404, json!({ "error": { "code": -32601, "message": "unknown" } }))),
    })
    .await;
    assert_eq!(revisions(spoken), ["2026-07-28", "2025-06-18"]);
    let (spoken, _) = ask_all(|message| match message["method"].as_str() {
        Some("server/discover") => {
            Some((200, json!({ "result": { "supportedVersions": ["2026-07-28", "2031-01-01"] } })))
        }
        _ => Some((400, json!({ "error": { "code": -32022, "message": "modern alone" } }))),
    })
    .await;
    assert_eq!(spoken.as_ref().unwrap().unknown, ["2031-01-01"]);
    assert_eq!(revisions(spoken), ["2026-07-28"]);
}

#[tokio::test(start_paused = true)]
async fn a_server_that_knows_no_one_is_asked_twice_and_says_so() {
    let (spoken, server) = ask_all(|message| {
        // Where its metadata should be, there is nothing.
        Some((if message.is_null() { 404 } else { 401 }, Value::Null))
    })
    .await;
    assert_eq!(spoken.as_ref().unwrap().unauthorized, Some(401));
    let reason = spoken.unwrap().reason_against(Revision::V2025_11_25).unwrap();
    assert_eq!(reason, "the server answers nothing without authorization (status 401)");
    let asked = server.seen.lock().unwrap();
    assert_eq!(asked.iter().filter(|(method, _)| method == "POST").count(), 2);
}

#[tokio::test(start_paused = true)]
async fn a_server_that_is_silent_is_left_after_a_bound() {
    let start = Instant::now();
    let (spoken, _) = ask_all(|_| None).await;
    assert_eq!(
        spoken.unwrap_err().to_string(),
        "the server did not finish its answer within 15 seconds"
    );
    assert_eq!(start.elapsed(), Duration::from_secs(15));
}

#[tokio::test(start_paused = true)]
async fn silence_about_one_question_alone_is_no_obstacle() {
    let (spoken, _) = ask_all(|message| match message["method"].as_str() {
        Some("server/discover") => None,
        _ => legacy(message, &["2025-03-26"]),
    })
    .await;
    assert_eq!(revisions(spoken), ["2025-03-26"]);
}

#[tokio::test(start_paused = true)]
async fn what_speaks_no_mcp_says_what_it_answered() {
    let (spoken, _) = ask_all(|_| Some((404, Value::Null))).await;
    let spoken = spoken.unwrap();
    assert_eq!((spoken.revisions.len(), spoken.unauthorized), (0, None));
    assert_eq!(spoken.refusals[0], "server/discover was answered with status 404");
    assert_eq!(spoken.refusals.len(), Revision::ALL.len());
}
