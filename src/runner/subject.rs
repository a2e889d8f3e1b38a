//! What is under test, and how a run is set up: [`Subject`] and [`Settings`].

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use http::{HeaderMap, Uri};

use super::expected::Expectations;
use crate::check::{CheckKind, Level};
use crate::mcp::client::Cancellation;
use crate::script::fault::FaultScript;
use crate::snapshot::Store;
use crate::wire::exchange::Watch;
use crate::wire::text::Style;

/// What is under test.
#[derive(Clone, Debug)]
pub enum Subject {
    /// The built-in client over the double, in memory, on a paused clock.
    Embedded,
    /// The built-in client over a real socket.
    Loopback,
    /// A client process.
    Client(Command),
    /// A server; the built-in client drives it.
    Server(Uri),
    /// Whatever client comes, while the check's server is kept up.
    Visitor(Arc<Visitor>),
}

/// How a check's server is kept up for whatever client comes.
pub struct Visitor {
    /// The port on 127.0.0.1; 0 for any that is free.
    pub port: u16,
    /// Gets the server's URL, and what a client is told in its environment.
    pub announce: Box<Announce>,
    /// Gets each exchange when it ended.
    pub watch: Arc<Watch>,
    /// Ends the visit when it is cancelled; then what was seen is judged.
    pub leave: Cancellation,
}

/// Gets the URL of a server, and names and values of environment variables.
pub type Announce = dyn Fn(&str, &[(&str, String)]) + Send + Sync;

impl fmt::Debug for Visitor {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Visitor").field("port", &self.port).finish_non_exhaustive()
    }
}

/// A command line, split into words.
#[derive(Clone, Debug)]
pub struct Command {
    /// The program.
    pub program: String,
    /// What comes before the server's URL.
    pub arguments: Vec<String>,
}

impl fmt::Display for Command {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words = std::iter::once(&self.program).chain(&self.arguments).map(String::as_str);
        match shlex::try_join(words) {
            Ok(line) => formatter.write_str(&line),
            Err(_) => formatter.write_str(&self.program),
        }
    }
}

impl fmt::Display for Subject {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Subject::Embedded => formatter.write_str("embedded"),
            Subject::Loopback => formatter.write_str("loopback"),
            Subject::Client(command) => write!(formatter, "client: {command}"),
            Subject::Server(url) => write!(formatter, "server: {url}"),
            Subject::Visitor(_) => formatter.write_str("a client by hand"),
        }
    }
}

/// By what the loopback subject divides every delay, so that a suite over
/// sockets stays short.
pub const LOOPBACK_SCALE: u32 = 50;

impl Subject {
    /// Whether it is a program from outside, on the real clock.
    pub fn is_external(&self) -> bool {
        matches!(self, Subject::Client(_) | Subject::Server(_) | Subject::Visitor(_))
    }

    /// Whether checks of this kind can be run on it.
    pub fn takes(&self, kind: CheckKind) -> bool {
        match self {
            Subject::Embedded | Subject::Loopback => true,
            Subject::Client(_) | Subject::Visitor(_) => kind == CheckKind::Client,
            Subject::Server(_) => kind == CheckKind::Server,
        }
    }
}

/// Whether a check of this kind has the built-in client as its subject.
pub fn is_builtin(kind: CheckKind, subject: &Subject) -> bool {
    match subject {
        Subject::Embedded | Subject::Loopback => true,
        // What `drive` returns is the built-in client's own result, whatever
        // the server.
        Subject::Server(_) => kind == CheckKind::Server,
        Subject::Client(_) | Subject::Visitor(_) => false,
    }
}

/// Whether nothing leaves the process: then the clock is paused.
pub(super) fn is_in_memory(kind: CheckKind, subject: &Subject) -> bool {
    match subject {
        Subject::Embedded => true,
        // A check of a server needs no socket to reach the reference server,
        // but over loopback it gets one as well.
        Subject::Loopback | Subject::Client(_) | Subject::Visitor(_) => false,
        Subject::Server(_) => kind != CheckKind::Server,
    }
}

/// How a run is set up.
pub struct Settings {
    /// What is under test.
    pub subject: Subject,
    /// How many workers run at once.
    pub jobs: usize,
    /// How long one execution may take in real time.
    pub timeout: Duration,
    /// By what delays and the time of a leg are divided; 1 leaves them as they
    /// are, and on any clock but that of the loopback subject it is 1.
    pub scale: u32,
    /// Whether the first red execution ends the run.
    pub fail_fast: bool,
    /// From which level on a claim that does not hold makes an execution red.
    pub fail_on: Level,
    /// Whether a snapshot that is new makes an execution red, as where nobody is
    /// there to review it.
    pub fail_on_new_snapshot: bool,
    /// What is known not to hold.
    pub expectations: Option<Expectations>,
    /// Whether an entry that expects what holds fails the run.
    pub stale_is_red: bool,
    /// Only checkpoints of this level and of stronger ones are reported.
    pub least_level: Option<Level>,
    /// Of which executions the exchanges are kept, and the log with them.
    pub exchanges: Exchanges,
    /// Header fields that the built-in client adds to every request.
    pub headers: HeaderMap,
    /// Where recorded wires are compared and written; `None` compares nothing.
    pub snapshots: Option<Snapshots>,
    /// How exchanges are written.
    pub style: Style,
    /// Ends the run when it is cancelled.
    pub interrupt: Cancellation,
    /// Whether what was judged is kept, so that it can be judged again.
    pub keep_outcome: bool,
    /// A fault between the client and the far side.
    pub fault: Option<Arc<FaultScript>>,
}

/// Of which executions the exchanges are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Exchanges {
    /// Of those in which something did not hold.
    OfFindings,
    /// Of all, for a report that has them.
    Kept,
    /// Of all, and the report for a person shows them.
    Shown,
}

/// What is done with recorded wires.
#[derive(Clone, Debug)]
pub struct Snapshots {
    /// The files.
    pub store: Store,
    /// Whether they are written rather than compared.
    pub update: bool,
    /// The names of all profiles: what was recorded for others is dropped where it
    /// is written.
    pub profiles: Vec<String>,
    /// Whether checks inside the program are passed over: they were added to those
    /// of a folder, and what they put on the wire is not the folder's affair.
    pub of_files_alone: bool,
}

/// How long one execution may take unless said otherwise: longer than the
/// budget of one operation, and than the time an SDK takes to give up.
pub const DEFAULT_TIMEOUT: Duration = Duration::from_secs(60);

/// How many client processes run at once unless said otherwise.
pub const CLIENTS_AT_ONCE: usize = 16;

impl Settings {
    /// The usual settings for `subject`: one worker for each processor; two over
    /// sockets, where nearly all of the time is waiting; [`CLIENTS_AT_ONCE`] client
    /// processes, each of which does nothing but wait.
    pub fn new(subject: Subject) -> Self {
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        let (jobs, scale) = match subject {
            Subject::Loopback => (2 * processors, LOOPBACK_SCALE),
            Subject::Client(_) => (CLIENTS_AT_ONCE, 1),
            _ => (processors, 1),
        };
        Settings {
            subject,
            jobs,
            timeout: DEFAULT_TIMEOUT,
            scale,
            fail_fast: false,
            fail_on: Level::Must,
            fail_on_new_snapshot: false,
            expectations: None,
            stale_is_red: true,
            least_level: None,
            exchanges: Exchanges::OfFindings,
            headers: HeaderMap::new(),
            snapshots: None,
            style: Style::default(),
            interrupt: Cancellation::new(),
            keep_outcome: false,
            fault: None,
        }
    }
}
