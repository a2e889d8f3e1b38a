//! Parses the command line, dispatches, and returns the exit code.

use std::process::ExitCode;

use mcp_checks::script::memory::CountingAllocator;

/// Ends a script that takes all memory, rather than the program.
#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

fn main() -> ExitCode {
    mcp_checks::cli::main()
}
