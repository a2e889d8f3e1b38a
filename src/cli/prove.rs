//! `mcp-checks prove`: shows that every check can fail, by faults.

use clap::Args;
use http::HeaderMap;
use miette::{GraphicalTheme, MietteDiagnostic};

use super::exit::Exit;
use super::output::{Format, print};
use super::run::{jobs, style, timeout};
use super::signals;
use super::sources::Sources;
use super::terminal::{self, Stream, When, has_colour};
use crate::check::nearest::did_you_mean;
use crate::check::{Library, Selection};
use crate::report::{Progress, Reporter, proof};
use crate::runner::event::Plan;
use crate::runner::prove::{Effort, FindingKind, Proof, prove};
use crate::runner::{Event, Settings, Subject, Summary};

/// What `prove` takes.
#[derive(Args, Debug)]
#[command(after_help = "\
Every check runs under every fault. A claim is proven if a small fault turns it red; the exit code
is 1 if a MUST is not. A fault that, played over the messages of the check without it, changes
nothing is not executed.

Examples:
  mcp-checks prove
  mcp-checks prove client/tool-call-basic
  mcp-checks prove --fault leaves-out-initialized")]
pub struct Arguments {
    /// Report on these checks alone [default: all]; written as in `run`.
    #[arg(value_name = "SELECTION")]
    selection: Vec<String>,
    /// Try this fault alone, and report what it turns red; may be repeated.
    #[arg(long, value_name = "NAME")]
    fault: Vec<String>,
    /// Execute every check under every fault, also where the fault changes nothing, and report
    /// where the verdicts are not those that playing the fault over the messages showed.
    #[arg(long)]
    exhaustive: bool,
    /// How many checks run at once [default: one for each processor].
    #[arg(long, short, value_name = "NUMBER")]
    jobs: Option<usize>,
    /// How many seconds one check may take under one fault [default: 60].
    #[arg(long, value_name = "SECONDS")]
    timeout: Option<f64>,
    /// The format of the report.
    #[arg(long, value_name = "FORMAT", default_value = "human")]
    format: Format,
    #[command(flatten)]
    sources: Sources,
}

/// Runs every check under the faults and reports what they turned red.
///
/// # Errors
/// A diagnostic of what is wrong with the command line or a file.
pub fn run(arguments: &Arguments, colour: When) -> miette::Result<Exit> {
    let (mut library, profiles) = arguments.sources.read()?;
    let selection = match arguments.selection.as_slice() {
        [] => None,
        expressions => Some(Selection::parse(expressions, &library)?),
    };
    keep_faults(&mut library, &arguments.fault)?;
    let mut settings = Settings::new(Subject::Embedded);
    settings.jobs = jobs(arguments.jobs)?.unwrap_or(settings.jobs);
    settings.timeout = timeout(arguments.timeout)?;
    settings.style = style(&HeaderMap::new(), None, &profiles);
    signals::end_run(&settings);
    let effort = if arguments.exhaustive { Effort::Exhaustive } else { Effort::Played };
    let mut bar = Progress::new(terminal::is_terminal(), terminal::is_ci());
    // Whether a fault is small shows against all checks alone, so all of them
    // run, whichever are reported.
    let mut proof = prove(&library, &profiles, &settings, effort, |done, all| {
        let event = match done {
            0 => Event::RunStarted(Plan {
                executions: all,
                checks: library.checks.len(),
                profiles: Vec::new(),
                subject: settings.subject.to_string(),
                beside: library.beside,
                on_real_clock: false,
                speaks: None,
            }),
            done => Event::Progress { done },
        };
        // A bar that cannot be drawn is no reason to stop.
        let _ = bar.event(&event);
    });
    let _ = bar.event(&Event::RunFinished(Summary::default()));
    if let Some(selection) = &selection {
        keep_checks(&mut proof, &library, selection);
    }
    if !arguments.fault.is_empty() {
        // What other faults would turn red is not known here.
        proof.findings.retain(|finding| finding.kind != FindingKind::Survivor);
        proof.claims.retain(|claim| !claim.killed_by.is_empty());
    }
    let redactor = &settings.style.redactor;
    print(&match arguments.format {
        Format::Human => {
            let theme = if has_colour(colour, Stream::Output) {
                GraphicalTheme::unicode()
            } else {
                GraphicalTheme::unicode_nocolor()
            };
            let every_fault = !arguments.fault.is_empty();
            proof::text(&proof, redactor, theme, terminal::columns(), every_fault)
        }
        Format::Json => format!("{:#}\n", proof::json(&proof, redactor)),
    })?;
    Ok(exit(&proof).with_problems(&library))
}

fn exit(proof: &Proof) -> Exit {
    if proof.interrupted {
        Exit::Cancelled
    } else if proof.is_broken() {
        Exit::BrokenCheck
    } else if proof.holds() {
        Exit::AllHeld
    } else if proof.executions == 0 {
        Exit::NothingRan
    } else {
        Exit::NotConforming
    }
}

/// Leaves the named faults alone in the library; all of them if none is named.
fn keep_faults(library: &mut Library, names: &[String]) -> miette::Result<()> {
    let faults = &mut library.support.faults;
    for name in names {
        if !faults.iter().any(|fault| fault.name == *name) {
            let known = faults.iter().map(|fault| fault.name.as_str());
            let help = did_you_mean(name, known).unwrap_or_else(|| {
                "a fault is a script in `checks/_faults`, named without its ending".to_owned()
            });
            return Err(MietteDiagnostic::new(format!("there is no fault `{name}`"))
                .with_code("selection::unknown-fault")
                .with_help(help)
                .into());
        }
    }
    if !names.is_empty() {
        faults.retain(|fault| names.contains(&fault.name));
    }
    Ok(())
}

/// Leaves what is about the selected checks alone in the proof.
fn keep_checks(proof: &mut Proof, library: &Library, selection: &Selection) {
    let is_selected = |id: &str| match library.get(id) {
        Some(Ok(check)) => selection.matches(check),
        Some(Err(broken)) => selection.matches_broken(broken),
        None => false,
    };
    proof.claims.retain(|claim| is_selected(&claim.check));
    proof.findings.retain(|finding| finding.check.as_deref().is_some_and(is_selected));
}
