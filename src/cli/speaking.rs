//! What the server under test speaks, asked before anything is planned:
//! [`Probed`].

use std::sync::Arc;

use http::Uri;
use miette::{MietteDiagnostic, Report, Severity, miette};

use super::exit::Exit;
use super::output::say;
use crate::runner::plan::Choice;
use crate::runner::probe::{Spoken, Unreachable, probe};
use crate::runner::{Settings, Subject};
use crate::wire::live::Live;

/// What came of asking.
#[derive(Debug)]
pub enum Probed {
    /// No server is under test.
    NoServer,
    /// It speaks this.
    Speaks(Spoken),
    /// There is nothing to run: it was said why.
    Ended(Exit),
}

impl Probed {
    /// Asks the server under test, if there is one. What is wrong with it is said
    /// at once; that it speaks nothing that is known here is no obstacle to a
    /// `choice` that asks for a profile or a revision.
    ///
    /// # Errors
    /// A diagnostic if no runtime could be started.
    pub fn of(settings: &Settings, choice: &Choice<'_>) -> miette::Result<Probed> {
        let Subject::Server(url) = &settings.subject else { return Ok(Probed::NoServer) };
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(|error| miette!("no runtime could be started: {error}"))?;
        let probed = runtime.block_on(async {
            let probing = probe(Arc::new(Live::new()), url, &settings.headers);
            // No longer than a check may take.
            let probing = tokio::time::timeout(settings.timeout, probing);
            tokio::select! {
                probed = probing => Some(probed.unwrap_or_else(|_| {
                    let seconds = settings.timeout.as_secs_f64();
                    Err(Unreachable(format!("it did not answer within {seconds} seconds")))
                })),
                () = settings.interrupt.cancelled() => None,
            }
        });
        let is_asked_for = !choice.profiles.is_empty() || !choice.revisions.is_empty();
        Ok(match probed {
            None => Probed::Ended(Exit::Cancelled),
            Some(Err(error)) => {
                say(format_args!("{:?}", unreachable(url, &error.to_string())));
                Probed::Ended(Exit::NotConforming)
            }
            Some(Ok(spoken)) => {
                if let Some(status) = spoken.unauthorized {
                    say(format_args!("{:?}", unauthorized(url, status, settings)));
                } else if spoken.revisions.is_empty() && !is_asked_for {
                    say(format_args!("{:?}", speechless(url, &spoken)));
                    return Ok(Probed::Ended(Exit::NotConforming));
                }
                Probed::Speaks(spoken)
            }
        })
    }

    /// What it speaks, if it was asked.
    pub fn spoken(&self) -> Option<&Spoken> {
        match self {
            Probed::Speaks(spoken) => Some(spoken),
            Probed::NoServer | Probed::Ended(_) => None,
        }
    }
}

fn unreachable(url: &Uri, why: &str) -> Report {
    miette!(
        code = "server::unreachable",
        help = "look whether the server runs there and speaks HTTP",
        "the server at {url} cannot be reached: {why}"
    )
}

fn unauthorized(url: &Uri, status: u16, settings: &Settings) -> Report {
    let help = if settings.headers.contains_key(http::header::AUTHORIZATION) {
        "it refuses what --header says: look whether the token is valid there"
    } else {
        "give it a token, as in --header 'Authorization: Bearer TOKEN'; without one, only the \
         checks with the tag `authorization` run"
    };
    let message = format!("the server at {url} answers everything with status {status}");
    MietteDiagnostic::new(message)
        .with_code("server::unauthorized")
        .with_severity(Severity::Warning)
        .with_help(help)
        .into()
}

fn speechless(url: &Uri, spoken: &Spoken) -> Report {
    let mut message = format!("the server at {url} speaks no revision that is known here");
    if !spoken.unknown.is_empty() {
        let names: Vec<String> =
            spoken.unknown.iter().map(|name| crate::wire::text::escape_name(name)).collect();
        message.push_str(&format!(": it names {}", names.join(", ")));
    }
    for refusal in &spoken.refusals {
        message.push_str(&format!("\n{refusal}"));
    }
    miette!(
        code = "server::no-revision",
        help = "look whether this is the address of the MCP endpoint; --revision judges it at a \
                revision all the same",
        "{message}"
    )
}
