//! Clients and servers that send more than anyone can use.

use std::fmt::Write as _;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::time::Duration;

use crate::place::{Place, Ran};

/// How many KiB the program may hold at its largest.
const MOST_HELD: u64 = 512 * 1024;

/// A server that answers every connection with this, and then closes it.
fn server(answer: impl Fn(&str, &mut TcpStream) + Send + Sync + Clone + 'static) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/mcp", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let answer = answer.clone();
            std::thread::spawn(move || answer(&request(&mut stream), &mut stream));
        }
    });
    url
}

/// One request as text.
fn request(stream: &mut TcpStream) -> String {
    let (mut text, mut buffer) = (String::new(), [0; 4096]);
    loop {
        let head = text.find("\r\n\r\n");
        let length = text.to_lowercase().find("content-length: ").map_or(0, |at| {
            let digits = text[at + 16..].chars().take_while(char::is_ascii_digit);
            digits.collect::<String>().parse().unwrap_or(0)
        });
        if head.is_some_and(|head| text.len() >= head + 4 + length) {
            return text;
        }
        match stream.read(&mut buffer) {
            Ok(count @ 1..) => text.push_str(&String::from_utf8_lossy(&buffer[..count])),
            _ => return text,
        }
    }
}

#[track_caller]
fn is_bounded(ran: &Ran, seconds: u64) {
    assert!(ran.elapsed < Duration::from_secs(seconds), "{:?}", ran.elapsed);
    assert!(ran.most_held < MOST_HELD, "{} KiB", ran.most_held);
}

#[test]
fn a_server_tells_without_end() {
    let url = server(|_, stream| {
        let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n";
        let _ = stream.write_all(head.as_bytes());
        let event = "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\"}\n\n";
        let events = event.repeat(1000);
        while stream.write_all(events.as_bytes()).is_ok() {}
    });
    let place = Place::new();
    let revision = ["--revision", "2025-11-25", "--store", "store.db"];
    let ran = place.measured(&[&["ping", &url], &revision[..]].concat()).exits(1);
    is_bounded(&ran, 10);
    ran.says("server::too-large").says("more than 10000 events");
}

#[test]
fn a_server_has_something_to_say_about_everything() {
    // Each page is as long as one is read, and there is always another.
    let url = server(|asked, stream| {
        let result = match asked {
            asked if asked.contains("\"initialize\"") => {
                r#"{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}"#.to_owned()
            }
            asked if asked.contains("tools/list") => {
                format!(r#"{{"tools":[{}[]],"nextCursor":"more"}}"#, "[],".repeat(600_000))
            }
            _ => "{}".to_owned(),
        };
        let id = asked.rsplit("\"id\":").next().unwrap_or_default();
        let id: String = id.chars().take_while(char::is_ascii_digit).collect();
        let body = format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#);
        let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close";
        let _ = write!(stream, "{head}\r\nContent-Length: {}\r\n\r\n{body}", body.len());
    });
    let place = Place::new();
    let revision = ["--revision", "2025-11-25", "--store", "store.db"];
    let ran = place.measured(&[&["tools", &url], &revision[..]].concat()).exits(1);
    is_bounded(&ran, 30);
    ran.says("server::too-large");
}

/// A client that posts a body of this shape so many times.
fn client(place: &Place, body: &str, times: usize) -> String {
    place.write("body", body);
    place.client(&format!(
        "port=$(echo \"$1\" | sed 's/.*:\\([0-9]*\\).*/\\1/')\n\
         for n in $(seq {times}); do\n\
         bash -c 'exec 3<>/dev/tcp/127.0.0.1/$0; printf \"POST /mcp HTTP/1.1\\r\\nHost: x\\r\\n\
         Content-Type: application/json\\r\\nContent-Length: {}\\r\\nConnection: close\\r\\n\\r\\n\" \
         >&3; cat body >&3; cat <&3 >/dev/null' $port 2>/dev/null\n\
         done",
        body.len()
    ))
}

#[test]
fn a_client_sends_more_than_is_taken_in() {
    let place = Place::new();
    let body = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{}"}}"#, "x".repeat(3_000_000));
    let client = client(&place, &body, 8);
    let report = ["--format", "json", "--output", "report.json", "--timeout", "20"];
    let ran = place.measured(&[&["run", "--client", &client], &report[..]].concat()).exits(1);
    is_bounded(&ran, 60);
    let execution = place.execution("good");
    let said = execution.to_string();
    assert!(
        said.contains("the client sent more than 8388608 bytes in one execution"),
        "{said:.400}"
    );
    assert!(execution["exchanges"].as_array().unwrap().len() < 4);
}

#[test]
fn a_batch_is_judged_in_time() {
    let mut body = String::from("[");
    for id in 0..20_000 {
        let comma = if id == 0 { "" } else { "," };
        let _ = write!(body, r#"{comma}{{"jsonrpc":"2.0","id":{id},"method":"ping"}}"#);
    }
    body.push(']');
    let place = Place::new();
    let judge = "for request in seen.requests { if request.response.id == () { return; } }
        let ids = seen.requests.map(|request| request.id);
        seen.check(\"called\", ids.distinct().len == 20000 && !ids.contains(20000)";
    let judge = crate::place::check("")
        .replace("seen.equal(\"called\", seen.calls(\"add\")[0].arguments, #{ a: 17 }", judge);
    place.write("checks/good.rhai", judge);
    let client = client(&place, &body, 1);
    let profile = ["--profile", "stateless-http-2025-03-26"];
    let report = ["--format", "json", "--output", "report.json", "--timeout", "30"];
    let client = ["run", "--client", &client];
    let ran = place.command(&[&client[..], &profile[..], &report[..]].concat());
    assert!(ran.elapsed < Duration::from_secs(20), "{:?}", ran.elapsed);
    let execution = place.execution("good");
    assert_eq!(execution["checkpoints"][0]["verdict"], "pass", "{:.2000}", execution.to_string());
}

/// Functions that arrays call do not end Rhai's count of operations.
#[test]
fn the_clock_is_looked_at_within_functions_that_arrays_call() {
    let place = Place::with(&crate::place::check(
        "let all = []; all.pad(60000, 1); let others = all;
         all.filter(|one| others.some(|other| other == 2));",
    ));
    let ran = place.run(&["--timeout", "1"]).exits(1);
    assert!(ran.elapsed < Duration::from_secs(10), "{:?}", ran.elapsed);
    assert_eq!(place.outcome("bad"), "timeout");
    assert_eq!(place.outcome("good"), "pass");
}
