//! An external client as a process: started by the contract of the official
//! suite, watched, and ended together with its children. The entry is [`run`].

use std::collections::VecDeque;
use std::io;
use std::process::{ExitStatus, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use process_wrap::tokio::{ChildWrapper, CommandWrap, KillOnDrop, ProcessGroup};
use tokio::io::{AsyncRead, AsyncReadExt};

use super::event::ClientProcess;
use super::subject::Command;
use crate::mcp::client::Cancellation;
use crate::wire::redact::Redactor;

/// How much of a client's output is kept: its end, which says why it failed.
pub const OUTPUT_LIMIT: usize = 64 * 1024;

/// The exit code by which a client says that it does not know its task: that of
/// a skipped test in Automake's and other harnesses.
pub const UNKNOWN_TASK: u8 = 77;

/// How long a client that was asked to end may take for it.
const TERMINATION_BOUND: Duration = Duration::from_millis(500);

/// How long output is still read after the process ended: something that it
/// started may hold its output open.
const OUTPUT_BOUND: Duration = Duration::from_millis(200);

/// How a client came to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// By itself.
    ByItself,
    /// Its time was up.
    TimedOut,
    /// The run was interrupted.
    Interrupted,
}

/// What is known of a client that ran.
pub struct Ran {
    /// How it came to its end.
    pub ended: Ended,
    status: Option<ExitStatus>,
    output: Output,
}

/// Runs a client until it ends, its time is up or the run is interrupted. Its
/// process group is gone afterwards.
///
/// # Errors
/// What the system says if it cannot be started.
pub async fn run(
    command: &Command,
    url: &str,
    environment: &[(&str, String)],
    deadline: Instant,
    interrupt: &Cancellation,
) -> io::Result<Ran> {
    let mut wrapped = CommandWrap::with_new(&command.program, |started| {
        started
            .args(&command.arguments)
            .arg(url)
            .envs(environment.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
    });
    wrapped.wrap(ProcessGroup::leader()).wrap(KillOnDrop);
    let (mut child, _group) = group::spawn(&mut wrapped)?;
    let output = Arc::new(Mutex::new(Output::default()));
    let mut readers = tokio::task::JoinSet::new();
    if let Some(stdout) = child.stdout().take() {
        readers.spawn(read(stdout, 0, output.clone()));
    }
    if let Some(stderr) = child.stderr().take() {
        readers.spawn(read(stderr, 1, output.clone()));
    }
    let (ended, status) = tokio::select! {
        status = child.wait() => (Ended::ByItself, status.ok()),
        () = tokio::time::sleep_until(deadline.into()) => {
            (Ended::TimedOut, end(&mut *child).await)
        }
        () = interrupt.cancelled() => (Ended::Interrupted, end(&mut *child).await),
    };
    // Whatever it started and left behind.
    let _ = child.start_kill();
    let _ =
        tokio::time::timeout(OUTPUT_BOUND, async { while readers.join_next().await.is_some() {} })
            .await;
    readers.abort_all();
    let output = std::mem::take(&mut *lock(&output));
    Ok(Ran { ended, status, output })
}

/// Asks the process group to end, and ends it if it does not.
async fn end(child: &mut dyn ChildWrapper) -> Option<ExitStatus> {
    #[cfg(unix)]
    {
        const SIGTERM: i32 = 15;
        let _ = child.signal(SIGTERM);
        if let Ok(Ok(status)) = tokio::time::timeout(TERMINATION_BOUND, child.wait()).await {
            return Some(status);
        }
    }
    let _ = child.start_kill();
    tokio::time::timeout(TERMINATION_BOUND, child.wait()).await.ok()?.ok()
}

/// Ends every client that is running, at once, and lets no other begin: for a program
/// that ends without waiting for its workers.
pub fn end_all() {
    group::end_all();
}

/// The process groups that are running.
mod group {
    use std::collections::BTreeSet;
    use std::io;
    use std::sync::{Mutex, MutexGuard, PoisonError};

    use process_wrap::tokio::{ChildWrapper, CommandWrap};

    /// `None` once no other may begin.
    static RUNNING: Mutex<Option<BTreeSet<u32>>> = Mutex::new(Some(BTreeSet::new()));

    /// A group that is running, until it is dropped.
    pub struct Group(u32);

    /// Starts a process as the leader of a group.
    pub fn spawn(wrapped: &mut CommandWrap) -> io::Result<(Box<dyn ChildWrapper>, Group)> {
        let mut running = running();
        let Some(groups) = running.as_mut() else {
            return Err(io::Error::other("the program is ending"));
        };
        let child = wrapped.spawn()?;
        let leader = child.id().unwrap_or(0);
        groups.insert(leader);
        Ok((child, Group(leader)))
    }

    pub fn end_all() {
        for leader in running().take().into_iter().flatten() {
            kill(leader);
        }
    }

    #[cfg(unix)]
    fn kill(leader: u32) {
        use nix::sys::signal::{Signal, killpg};
        use nix::unistd::Pid;
        // 0 and 1 would mean other groups than that of a client.
        if let Some(leader) = i32::try_from(leader).ok().filter(|leader| *leader > 1) {
            let _ = killpg(Pid::from_raw(leader), Signal::SIGKILL);
        }
    }

    #[cfg(not(unix))]
    fn kill(_: u32) {}

    fn running() -> MutexGuard<'static, Option<BTreeSet<u32>>> {
        RUNNING.lock().unwrap_or_else(PoisonError::into_inner)
    }

    impl Drop for Group {
        fn drop(&mut self) {
            if let Some(groups) = running().as_mut() {
                groups.remove(&self.0);
            }
        }
    }
}

/// The end of what was printed, and how much came before it.
#[derive(Default)]
struct Output {
    /// Whole lines: what one stream has of a line does not stand in a line of the
    /// other. Twice what is shown, so that what is shown does not begin within a
    /// credential.
    kept: VecDeque<u8>,
    /// What standard output and error have of a line that is not whole yet: as
    /// much of its end as is kept of all. It takes its place when it is whole, so
    /// that no line of the other stream stands within.
    begun: [Vec<u8>; 2],
    dropped: u64,
}

impl Output {
    fn push(&mut self, stream: usize, bytes: &[u8]) {
        self.begun[stream].extend_from_slice(bytes);
        match self.begun[stream].iter().rposition(|&byte| byte == b'\n') {
            Some(end) => self.keep(stream, end + 1),
            None => {
                let excess = self.begun[stream].len().saturating_sub(2 * OUTPUT_LIMIT);
                self.begun[stream].drain(..excess);
                self.dropped += excess as u64;
            }
        }
    }

    fn keep(&mut self, stream: usize, length: usize) {
        self.kept.extend(self.begun[stream].drain(..length));
        let excess = self.kept.len().saturating_sub(2 * OUTPUT_LIMIT);
        self.kept.drain(..excess);
        self.dropped += excess as u64;
    }

    /// All that came, as far as it is shown, and how many bytes are not.
    fn shown(mut self, redactor: &Redactor) -> (String, u64) {
        for stream in 0..self.begun.len() {
            let is_within = self.kept.back().is_some_and(|byte| *byte != b'\n');
            if is_within && !self.begun[stream].is_empty() {
                self.kept.push_back(b'\n');
            }
            self.keep(stream, self.begun[stream].len());
        }
        let bytes: Vec<u8> = self.kept.into();
        let excess = bytes.len().saturating_sub(OUTPUT_LIMIT);
        let mut text = redactor.redact(&String::from_utf8_lossy(&bytes));
        if excess > 0 {
            // What was taken out makes the text shorter: still its beginning, which
            // may be within a credential, is not shown.
            let before = redactor.redact(&String::from_utf8_lossy(&bytes[..excess])).len();
            let start = text.len().saturating_sub(OUTPUT_LIMIT).max(before.min(text.len()));
            let start = (start..text.len()).find(|at| text.is_char_boundary(*at));
            text.drain(..start.unwrap_or(text.len()));
        }
        (text, self.dropped + excess as u64)
    }
}

fn lock(output: &Mutex<Output>) -> std::sync::MutexGuard<'_, Output> {
    output.lock().unwrap_or_else(PoisonError::into_inner)
}

async fn read(mut from: impl AsyncRead + Unpin, stream: usize, output: Arc<Mutex<Output>>) {
    let mut buffer = vec![0; 16 * 1024];
    while let Ok(count @ 1..) = from.read(&mut buffer).await {
        lock(&output).push(stream, &buffer[..count]);
    }
}

impl Ran {
    /// Whether the client ended by itself and said that it does not know the task.
    pub fn does_not_know_the_task(&self) -> bool {
        let code = self.status.and_then(|status| status.code());
        self.ended == Ended::ByItself && code == Some(i32::from(UNKNOWN_TASK))
    }

    /// The process as reports show it.
    pub fn describe(self, command: &Command, redactor: &Redactor) -> ClientProcess {
        let exit_code = self.status.and_then(|status| status.code());
        let ended = match (self.ended, exit_code) {
            (Ended::TimedOut, _) => "still running when its time was up; it was ended".to_owned(),
            (Ended::Interrupted, _) => "ended because the run was interrupted".to_owned(),
            (Ended::ByItself, Some(code)) => format!("exit code {code}"),
            (Ended::ByItself, None) => self.signal(),
        };
        let (output, dropped) = self.output.shown(redactor);
        ClientProcess {
            command: redactor.redact(&command.to_string()),
            output,
            dropped,
            ended,
            exit_code,
        }
    }

    fn signal(&self) -> String {
        #[cfg(unix)]
        {
            use std::os::unix::process::ExitStatusExt;
            if let Some(signal) = self.status.and_then(|status| status.signal()) {
                return format!("ended by signal {signal}");
            }
        }
        "ended in an unknown way".to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_stream_does_not_stand_in_a_line_of_the_other() {
        let mut output = Output::default();
        for (stream, bytes) in [(0, "a token-"), (1, "b\nsec"), (0, "of-mine\nc"), (1, "ond\n")] {
            output.push(stream, bytes.as_bytes());
        }
        let (text, dropped) = output.shown(&Redactor::new(["token-of-mine"]));
        assert_eq!((text.as_str(), dropped), ("b\na [redacted]\nsecond\nc", 0));
    }

    #[test]
    fn a_line_without_end_is_not_broken_into_by_the_other_stream() {
        let redactor = Redactor::new(["token-of-mine"]);
        for length in [0, OUTPUT_LIMIT, 2 * OUTPUT_LIMIT, 5 * OUTPUT_LIMIT] {
            let mut output = Output::default();
            output.push(0, format!("{}token-", "x".repeat(length)).as_bytes());
            output.push(1, b"another line\nunfinished token-");
            output.push(0, b"of-mine, said");
            output.push(1, b"of-mine");
            let all = length + "token-of-mine, said\nanother line\nunfinished token-of-mine".len();
            let (text, dropped) = output.shown(&redactor);
            assert!(text.ends_with("[redacted], said\nunfinished [redacted]"), "{length}");
            assert!(text.len() <= OUTPUT_LIMIT);
            assert_eq!(dropped, all.saturating_sub(OUTPUT_LIMIT) as u64, "{length}");
        }
    }

    #[test]
    fn what_is_kept_does_not_begin_within_a_secret_however_much_is_taken_out() {
        let secret = "a-token-of-the-client-0123456789";
        let line = format!("{secret}{secret}\n");
        for shift in 0..line.len() {
            let mut output = Output::default();
            output.push(0, "x".repeat(shift).as_bytes());
            for _ in 0..=2 * OUTPUT_LIMIT / line.len() {
                output.push(0, line.as_bytes());
            }
            let (text, _) = output.shown(&Redactor::new([secret]));
            assert!(!text.contains("client") && !text.contains("0123"), "{shift}: {}", &text[..80]);
        }
    }

    #[test]
    fn what_is_kept_does_not_begin_within_a_secret() {
        let line = "Authorization: Bearer a-token-of-the-client-0123456789\n";
        for shift in 0..line.len() {
            let mut output = Output::default();
            output.push(0, "x".repeat(OUTPUT_LIMIT).as_bytes());
            output.push(0, line.as_bytes());
            output.push(0, "y".repeat(OUTPUT_LIMIT - shift).as_bytes());
            let (text, dropped) = output.shown(&Redactor::default());
            assert!(text.len() <= OUTPUT_LIMIT);
            assert!(!text.contains("client") && !text.contains("0123"), "{shift}: {}", &text[..80]);
            assert_eq!(dropped, (OUTPUT_LIMIT + line.len() - shift) as u64);
        }
    }
}
