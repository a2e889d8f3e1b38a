//! What is said of an error of a script, in the words of this project: [`explain`].

use rhai::EvalAltResult;

use super::Cause;
use super::site::Site;
use crate::check::nearest::{alternatives, nearest};
use crate::script::names::Names;
use crate::script::types::{a, type_word};
use crate::script::value::Absent;
use crate::script::{blocking, limits};

/// What is said of an error.
pub(super) struct Explained {
    pub(super) message: String,
    pub(super) help: Option<String>,
    pub(super) cause: Cause,
    /// Where it happened, if the error itself does not know: an offset in bytes.
    pub(super) at: Option<usize>,
}

impl Explained {
    fn new(message: impl Into<String>, help: Option<String>) -> Self {
        Explained { message: message.into(), help, cause: Cause::Script, at: None }
    }

    fn absent() -> Self {
        Explained {
            cause: Cause::Absent,
            ..Explained::new("the script goes on from something that never happened", None)
        }
    }

    fn caused_by(self, cause: Cause) -> Self {
        Explained { cause, ..self }
    }
}

const EVERY_NAME: &str = "`mcp-checks api` prints every name that a script can reach";
const EVERY_FUNCTION: &str = "`mcp-checks api` prints what each function takes";

/// Explains an error. `names` gives the names that the script can reach.
pub(super) fn explain(
    error: &EvalAltResult,
    site: Site<'_>,
    names: impl FnOnce() -> Names,
) -> Explained {
    match error {
        EvalAltResult::ErrorTerminated(word, _) => terminated(&word.to_string()),
        EvalAltResult::ErrorFunctionNotFound(signature, _) => function(signature, site, names),
        EvalAltResult::ErrorDotExpr(message, _) => property(message, names),
        EvalAltResult::ErrorDataRace(what, _) => captured(what, site),
        EvalAltResult::ErrorVariableNotFound(name, _) => {
            let near = site.variables();
            let near = nearest(name, near.iter().map(String::as_str));
            let help = match near.is_empty() {
                true => "a function sees its parameters and its own variables alone".to_owned(),
                false => format!("did you mean {}?", alternatives(near)),
            };
            Explained::new(format!("there is no variable `{name}`"), Some(help))
        }
        EvalAltResult::ErrorModuleNotFound(path, _) => {
            let names = names();
            let mut modules: Vec<&str> =
                names.support.iter().filter_map(|name| name.split("::").next()).collect();
            modules.dedup();
            let near = nearest(path, modules);
            let help = match near.is_empty() {
                true => "support code in `checks/_lib` is there by its file's name, as in \
                         `wire::accept_header(seen)`; nothing else can be imported"
                    .to_owned(),
                false => format!("did you mean {}?", alternatives(near)),
            };
            Explained::new(format!("there is no support code `{path}`"), Some(help))
        }
        EvalAltResult::ErrorTooManyOperations(_) => {
            let help = format!("one call of a script has {} operations", limits::OPERATION_LIMIT);
            let explained = Explained::new("the script runs without end", Some(help));
            explained.caused_by(Cause::WithoutEnd)
        }
        EvalAltResult::ErrorStackOverflow(_) => Explained::new(
            "the script's functions call each other without end",
            Some(format!("calls go {} deep", limits::CALL_DEPTH_LIMIT)),
        ),
        EvalAltResult::ErrorDataTooLarge(what, _) => Explained::new(
            format!("the script makes a value that is too large: {}", lower_first(what)),
            Some("`mcp-checks api` prints the limits".to_owned()),
        ),
        EvalAltResult::ErrorMismatchDataType(_, actual, _)
        | EvalAltResult::ErrorMismatchOutputType(_, actual, _)
            if is_absent(actual) =>
        {
            Explained::absent()
        }
        EvalAltResult::ErrorMismatchDataType(wanted, actual, _)
        | EvalAltResult::ErrorMismatchOutputType(wanted, actual, _) => {
            let (wanted, actual) = (type_word(wanted), type_word(actual));
            Explained::new(format!("{} was expected, not {}", a(&wanted), a(&actual)), None)
        }
        EvalAltResult::ErrorIndexingType(both, _) => {
            let (of, by) = both.split_once(" [").unwrap_or((both, ""));
            let (of, by) = (type_word(of), type_word(by.trim_end_matches(']')));
            let message = format!("{} has no index that is {}", a(&of), a(&by));
            Explained::new(message, Some(EVERY_NAME.to_owned()))
        }
        EvalAltResult::ErrorRuntime(value, _) => {
            let message = value.to_string();
            let is_empty = message.is_empty();
            Explained::new(if is_empty { "the script threw".to_owned() } else { message }, None)
        }
        other => {
            let text = other.to_string();
            // The position is shown as the place.
            let text = text.rsplit_once(" (line ").map_or(text.as_str(), |(text, _)| text);
            Explained::new(lower_first(text), None)
        }
    }
}

fn terminated(word: &str) -> Explained {
    match word {
        blocking::INTERRUPTED => {
            Explained::new("the run was interrupted", None).caused_by(Cause::Interrupted)
        }
        limits::WITHOUT_END => {
            let help = format!("one call of a script has {} operations", limits::OPERATION_LIMIT);
            let explained = Explained::new("the script runs without end", Some(help));
            explained.caused_by(Cause::WithoutEnd)
        }
        limits::TOO_MUCH_MEMORY => {
            let mebibytes = limits::MEMORY_LIMIT / (1024 * 1024);
            let help = format!("one call of a script may take {mebibytes} MiB");
            Explained::new("the script takes too much memory", Some(help))
        }
        blocking::WAITS_WITHOUT_END => {
            let help = format!(
                "it may wait {} times for the client or the host; let a loop end after a count of \
                 its own",
                blocking::WAIT_LIMIT
            );
            let explained = Explained::new("the script waits without end", Some(help));
            explained.caused_by(Cause::WithoutEnd)
        }
        _ => Explained::new("the time for one execution is up", None).caused_by(Cause::TimeIsUp),
    }
}

fn is_absent(kind: &str) -> bool {
    kind.contains("absent") || kind.contains(std::any::type_name::<Absent>())
}

/// A function that is not there, or does not take these arguments: `name (T1, T2)`.
fn function(signature: &str, site: Site<'_>, names: impl FnOnce() -> Names) -> Explained {
    let (name, types) = signature.split_once(" (").unwrap_or((signature, ""));
    if is_absent(types) {
        return Explained::absent();
    }
    let types = types.strip_suffix(')').unwrap_or(types).split(", ");
    let types: Vec<String> = types.filter(|of| !of.is_empty()).map(type_word).collect();
    if let Some(name) = name.strip_prefix("get$").or(name.strip_prefix("set$")) {
        let of = types.first().map_or("", String::as_str);
        return no_property(name, of, &names());
    }
    if !name.starts_with(|first: char| first.is_alphabetic() || first == '_') {
        let words: Vec<String> = types.iter().map(|of| a(of)).collect();
        let message = format!("`{name}` cannot be used with {}", words.join(" and "));
        return Explained::new(message, None);
    }
    let names = names();
    if name.contains("::") {
        let near = nearest(name, names.support.iter().map(String::as_str));
        let help = match near.is_empty() {
            true => EVERY_NAME.to_owned(),
            false => format!("did you mean {}?", alternatives(near)),
        };
        let is_known = names.support.iter().any(|known| known == name);
        let message = match is_known {
            true => format!("`{name}` cannot take these arguments: ({})", types.join(", ")),
            false => format!("there is no `{name}`"),
        };
        return Explained::new(message, Some(if is_known { EVERY_FUNCTION.into() } else { help }));
    }
    match types.split_first() {
        Some((of, arguments)) if site.is_method() => method(name, of, arguments, &names),
        _ => bare(name, &types, &names),
    }
}

/// A function that was called on a value of the type `of`.
fn method(name: &str, of: &str, arguments: &[String], names: &Names) -> Explained {
    if names.functions(of).any(|known| known == name) {
        let message = format!("`{name}` cannot take these arguments: ({})", arguments.join(", "));
        return Explained::new(message, Some(ways(name, Some(of), names)));
    }
    if names.properties(of).any(|known| known == name) {
        let message = format!("`{name}` is a property of {}, and no function", a(of));
        return Explained::new(message, Some("write it without parentheses".to_owned()));
    }
    let message = format!("there is no `{name}` for {}", a(of));
    if names.own.iter().any(|own| own == name) {
        let help = format!("a function of the script is called by its name alone: `{name}(…)`");
        return Explained::new(message, Some(help));
    }
    let near = nearest(name, names.functions(of).chain(names.properties(of)));
    Explained::new(message, Some(hint(name, near, names)))
}

/// A function that was called by its name alone.
fn bare(name: &str, types: &[String], names: &Names) -> Explained {
    if names.bare().any(|known| known == name) {
        let message = format!("`{name}` cannot take these arguments: ({})", types.join(", "));
        return Explained::new(message, Some(ways(name, None, names)));
    }
    // What is called on a value can be called with it as the first argument too.
    let of = types.first().map_or("", String::as_str);
    let near = nearest(name, names.bare().chain(names.functions(of)));
    Explained::new(format!("there is no `{name}`"), Some(hint(name, near, names)))
}

/// How a function is called.
fn ways(name: &str, of: Option<&str>, names: &Names) -> String {
    let shown = names.shown(name, of);
    if shown.is_empty() || shown.iter().any(|shown| shown.ends_with("(…)")) {
        return EVERY_FUNCTION.to_owned();
    }
    format!("it is called as {}", alternatives(shown))
}

/// The near names, or whose function it is.
fn hint(name: &str, near: Vec<&str>, names: &Names) -> String {
    if !near.is_empty() {
        return format!("did you mean {}? `mcp-checks api` prints every name", alternatives(near));
    }
    let owners: Vec<String> = names.owners(name).into_iter().map(a).collect();
    match owners.as_slice() {
        [] => EVERY_NAME.to_owned(),
        owners => format!("it belongs to {}; {EVERY_NAME}", owners.join(" and to ")),
    }
}

/// An error of a property, in Rhai's words: `unknown property 'param' - a getter is
/// not registered for type 'Message'`.
fn property(message: &str, names: impl FnOnce() -> Names) -> Explained {
    let mut quoted = message.split('\'').skip(1).step_by(2);
    let (Some(name), Some(of)) = (quoted.next(), quoted.next()) else {
        return Explained::new(lower_first(message), None);
    };
    let scalars = ["i64", "f64", "bool", "string"];
    let cause = if scalars.contains(&of) { Cause::Shape } else { Cause::Script };
    let (of, names) = (type_word(of), names());
    let is_known = names.properties(&of).any(|known| known == name);
    if is_known {
        let message = match names.settable(name, &of) {
            Some(taken) => format!("`{name}` of {} takes {}", a(&of), a(taken)),
            None => format!("`{name}` of {} cannot be set", a(&of)),
        };
        return Explained::new(message, None).caused_by(cause);
    }
    no_property(name, &of, &names).caused_by(cause)
}

fn no_property(name: &str, of: &str, names: &Names) -> Explained {
    let message = format!("{} has no property `{name}`", a(of));
    if names.functions(of).any(|known| known == name) {
        return Explained::new(message, Some(format!("it is a function: `{name}(…)`")));
    }
    let near = nearest(name, names.properties(of).chain(names.functions(of)));
    let help = (!near.is_empty()).then(|| format!("did you mean {}?", alternatives(near)));
    Explained::new(message, help)
}

/// A closure that captures the value that the function around it is called on:
/// `argument #3 of function 'tool'`.
fn captured(what: &str, site: Site<'_>) -> Explained {
    let function = what.split('\'').nth(1).unwrap_or("");
    let Some((site, root)) = site.capture(function) else {
        return Explained::new(
            format!("a value is in use while `{function}` runs, and is used within it again"),
            Some("take what is needed out of it first, into a variable of its own".to_owned()),
        );
    };
    let message = format!("the function that `{function}` gets captures `{root}`");
    let help = if site.is_server(root) {
        let parameters = match function {
            "on" => "request, server",
            _ => "args, request, server",
        };
        format!(
            "a handler gets the server as its last argument: `|{parameters}| …`; what else it needs \
             of `{root}`, put into a variable before"
        )
    } else {
        format!(
            "`{root}` is in use while `{function}` runs; put what the function needs of it into a \
             variable before, as in `let url = {root}.url;`"
        )
    };
    Explained { at: site.at, ..Explained::new(message, Some(help)) }
}

/// A sentence that goes on from another.
pub(super) fn lower_first(text: &str) -> String {
    let mut characters = text.chars();
    match characters.next() {
        Some(first) => first.to_lowercase().chain(characters).collect(),
        None => String::new(),
    }
}

/// What to do about a word that cannot be a name.
pub(super) fn reserved_help(message: &str) -> Option<String> {
    message.contains("reserved").then(|| {
        "this word is reserved by Rhai, or is not available to scripts; choose another name"
            .to_owned()
    })
}
