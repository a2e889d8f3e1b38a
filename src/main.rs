//! Parses the command line, dispatches, and returns the exit code.

use std::process::ExitCode;

fn main() -> ExitCode {
    mcp_checks::cli::main()
}
