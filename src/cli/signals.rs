//! The signals that ask the program to end: Ctrl-C (SIGINT), SIGTERM, SIGHUP and
//! SIGQUIT are one and the same. The main type is [`Interrupts`].

use std::io;

use super::exit::Exit;
use crate::runner::Settings;
use crate::runner::process;

/// The user's wishes that the command ends. As soon as it is there, none of them ends
/// the program by itself, and the first one is kept until it is asked for.
pub struct Interrupts(Vec<system::Listener>);

impl Interrupts {
    /// The interrupts from now on; within a runtime. Where the system has none, none
    /// ever comes.
    pub fn listen() -> Self {
        Interrupts(system::listen())
    }

    /// Waits for the next interrupt.
    pub async fn next(&mut self) {
        std::future::poll_fn(|context| {
            let mut listeners = self.0.iter_mut();
            match listeners.any(|listener| listener.poll_recv(context).is_ready()) {
                true => std::task::Poll::Ready(()),
                false => std::task::Poll::Pending,
            }
        })
        .await;
    }

    /// Lets an interrupt that has come already be seen before whatever follows.
    pub async fn arrive() {
        tokio::task::yield_now().await;
    }
}

/// The first interrupt ends the run in order; a second one at once.
pub fn end_run(settings: &Settings) {
    let interrupt = settings.interrupt.clone();
    on_first(move || interrupt.cancel());
}

/// Does something at the first interrupt; a second one ends the program at once, and
/// with it every client that it started.
pub fn on_first(first: impl FnOnce() + Send + 'static) {
    let Ok(runtime) = runtime() else { return };
    // Before anything is started that would be left behind.
    let mut interrupts = {
        let _inside = runtime.enter();
        Interrupts::listen()
    };
    std::thread::spawn(move || {
        runtime.block_on(async {
            interrupts.next().await;
            first();
            interrupts.next().await;
            process::end_all();
            std::process::exit(i32::from(Exit::Cancelled.code()));
        });
    });
}

fn runtime() -> io::Result<tokio::runtime::Runtime> {
    tokio::runtime::Builder::new_current_thread().enable_all().build()
}

/// From now on, a file that grows beyond what the system allows (`ulimit -f`) is an
/// error that is told, and not the silent end of the program.
pub fn report_file_sizes() {
    #[cfg(unix)]
    if let Ok(runtime) = runtime() {
        let _inside = runtime.enter();
        // The handler stays when what waits for it is gone.
        let _ = tokio::signal::unix::signal(tokio::signal::unix::SignalKind::from_raw(
            system::FILE_SIZE,
        ));
    }
}

#[cfg(unix)]
mod system {
    use tokio::signal::unix::{Signal, SignalKind, signal};

    pub type Listener = Signal;

    /// SIGXFSZ.
    pub const FILE_SIZE: i32 = 25;

    /// What was ignored when the program started stays ignored, as `nohup` wants it;
    /// but for Ctrl-C, which shells ignore for what they start in the background.
    pub fn listen() -> Vec<Listener> {
        let others = [SignalKind::terminate(), SignalKind::hangup(), SignalKind::quit()];
        let others = others.into_iter().filter(|kind| !is_ignored(kind.as_raw_value()));
        let all = [SignalKind::interrupt()].into_iter().chain(others);
        all.filter_map(|kind| signal(kind).ok()).collect()
    }

    /// Whether a signal was ignored; false where the system does not say so.
    fn is_ignored(number: i32) -> bool {
        let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
        let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
        let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0);
        mask >> (number - 1) & 1 == 1
    }
}

#[cfg(windows)]
mod system {
    pub type Listener = tokio::signal::windows::CtrlC;

    pub fn listen() -> Vec<Listener> {
        tokio::signal::windows::ctrl_c().into_iter().collect()
    }
}
