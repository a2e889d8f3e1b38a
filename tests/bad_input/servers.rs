//! Servers that refuse, never answer, or answer garbage.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::time::Duration;

use crate::place::{Place, Ran};

const CHECK: &str = r#"//! Pings.
//!
//! answered  MUST  A ping is answered

fn drive(client) { client.ping() }
fn judge(seen) { seen.check("answered", seen.result.ok); }
"#;

/// A server that does this with each connection.
fn server(answer: impl Fn(TcpStream) + Send + 'static) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/mcp", listener.local_addr().unwrap());
    std::thread::spawn(move || listener.incoming().flatten().for_each(answer));
    url
}

fn run(url: &str) -> (Place, Ran) {
    let place = Place::new();
    place.write("checks/good.rhai", CHECK);
    let ran = place.run(&["--server", url, "--timeout", "1"]).exits(1);
    assert!(ran.elapsed < Duration::from_secs(10), "{:?}", ran.elapsed);
    place.is_tidy();
    (place, ran)
}

/// One error before anything runs, and no report.
fn is_unreachable(url: &str) {
    let place = Place::new();
    place.write("checks/good.rhai", CHECK);
    let ran = place.run(&["--server", url, "--timeout", "1"]).exits(1);
    assert!(ran.elapsed < Duration::from_secs(10), "{:?}", ran.elapsed);
    for words in ["server::unreachable", "look whether the server runs there"] {
        assert!(ran.stderr.contains(words), "{}", ran.stderr);
    }
    assert_eq!(ran.stdout, "");
}

#[test]
fn it_refuses() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/mcp", listener.local_addr().unwrap());
    drop(listener);
    is_unreachable(&url);
}

#[test]
fn it_never_answers() {
    let held = std::sync::Mutex::new(Vec::new());
    is_unreachable(&server(move |stream| held.lock().unwrap().push(stream)));
}

#[test]
fn a_loop_in_the_script_never_ends_with_it() {
    let url = server(|mut stream| {
        let _ = stream.read(&mut [0; 1024]);
        let _ = stream.write_all(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n");
    });
    let place = Place::new();
    place.write("checks/good.rhai", CHECK.replace("client.ping()", "while !client.ping().ok {}"));
    let ran = place.run(&["--server", &url, "--revision", "2025-11-25"]).exits(1);
    assert!(ran.elapsed < Duration::from_secs(20), "{:?}", ran.elapsed);
    let execution = place.execution("good");
    assert_eq!(execution["log"][0]["function"], "drive", "{execution:#}");
    let text = execution["log"][0]["text"].as_str().unwrap();
    assert!(text.contains("ended: the script waits without end"), "{text}");
}

#[test]
fn it_answers_garbage() {
    let bytes: Vec<u8> =
        (0..4096_u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    let url = server(move |mut stream| {
        let _ = stream.read(&mut [0; 1024]);
        let _ = stream.write_all(&bytes);
    });
    let (place, _) = run(&url);
    assert_ne!(place.outcome("good"), "pass");
}

#[test]
fn it_answers_http_without_meaning() {
    for body in ["<html>no", "{\"jsonrpc\":\"2.0\"}", "[]", "null", "\u{feff}", ""] {
        let url = server(move |mut stream| {
            let _ = stream.read(&mut [0; 4096]);
            let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close";
            let _ = write!(stream, "{head}\r\nContent-Length: {}\r\n\r\n{body}", body.len());
        });
        let (place, _) = run(&url);
        assert_eq!(place.outcome("good"), "fail", "{body:?}");
    }
}

#[test]
fn it_answers_without_end() {
    let url = server(|mut stream| {
        let _ = stream.read(&mut [0; 4096]);
        let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n";
        let _ = stream.write_all(head.as_bytes());
        while stream.write_all(&[b' '; 65536]).is_ok() {}
    });
    let (place, _) = run(&url);
    assert_ne!(place.outcome("good"), "pass");
}

/// What needs no token runs; the rest is skipped.
#[test]
fn it_lets_nobody_in() {
    let url = server(|mut stream| {
        let _ = stream.read(&mut [0; 4096]);
        let head = "HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Bearer\r\nConnection: close";
        let _ = write!(stream, "{head}\r\nContent-Length: 0\r\n\r\n");
    });
    let place = Place::new();
    place.write("checks/good.rhai", CHECK);
    let bare = CHECK.replace("//! answered", "//! tags: authorization\n//!\n//! answered");
    place.write("checks/bare.rhai", bare);
    let ran = place.run(&["--server", &url]).exits(1);
    assert!(ran.stderr.contains("server::unauthorized"), "{}", ran.stderr);
    assert_eq!((place.outcome("bare").as_str(), place.outcome("good").as_str()), ("fail", "skip"));
}
