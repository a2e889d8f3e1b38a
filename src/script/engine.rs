//! The engine that runs scripts: [`ScriptEngine`]. One for each worker: one
//! that two threads share makes neither faster.

use std::collections::{BTreeSet, HashMap};
use std::sync::atomic::{AtomicIsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Instant;

use rhai::packages::{
    ArithmeticPackage, BasicArrayPackage, BasicBlobPackage, BasicFnPackage, BasicIteratorPackage,
    BasicMapPackage, BasicMathPackage, BasicStringPackage, LanguageCorePackage, LogicPackage,
    MoreStringPackage, Package,
};
use rhai::{
    AST, CallFnOptions, Dynamic, Engine, EvalAltResult, FuncArgs, ImmutableString, Module,
    Position, Scope,
};

use super::action::Handlers;
use super::blocking::{INTERRUPTED, TIME_IS_UP};
use super::error::{ScriptError, Sources, place, reachable_names};
use super::{action, client, fault, host, list, memory, seen, server};
use crate::check::discovery::SupportScript;
use crate::check::{Place, SourceText};
use crate::mcp::client::Cancellation;

/// How many operations one call of a script's function has: a thousand times
/// what the longest shipped check needs.
pub const OPERATION_LIMIT: u64 = 2_000_000;
/// How deep calls go, the same in every build.
pub const CALL_DEPTH_LIMIT: usize = 32;
/// How long a string or a blob may be: more than what a client has to refuse.
pub const STRING_LIMIT: usize = 8 * 1024 * 1024;
/// How many items an array, and how many members a map may have.
pub const ITEM_LIMIT: usize = 100_000;
/// How many bytes all values may take that one call of a script's function
/// makes, and the messages that it sends and receives.
pub const MEMORY_LIMIT: usize = 256 * 1024 * 1024;
/// How many variables may be visible at once.
const VARIABLE_LIMIT: usize = 128;
/// How deep expressions nest, at top level and in functions.
const EXPRESSION_DEPTH_LIMIT: usize = 64;

/// Ends a script that holds too much memory.
pub(super) const TOO_MUCH_MEMORY: &str = "too much memory";

/// When a script that runs has to end.
#[derive(Clone, Default)]
pub struct Limits {
    deadline: Arc<Mutex<Option<Instant>>>,
    interrupt: Option<Cancellation>,
    /// What the thread held when the function was called.
    held_before: Arc<AtomicIsize>,
}

impl Limits {
    /// Limits that also end a script when `interrupt` is cancelled.
    pub fn new(interrupt: Cancellation) -> Self {
        Limits { interrupt: Some(interrupt), ..Limits::default() }
    }

    /// Sets when the time of what runs now is up.
    pub fn set_deadline(&self, deadline: Option<Instant>) {
        *self.deadline.lock().unwrap_or_else(PoisonError::into_inner) = deadline;
    }

    /// Measures memory from here on.
    fn measure_memory(&self) {
        self.held_before.store(memory::held(), Ordering::Relaxed);
    }

    fn holds_too_much(&self) -> bool {
        let taken = memory::held().saturating_sub(self.held_before.load(Ordering::Relaxed));
        taken > MEMORY_LIMIT.cast_signed()
    }

    fn exceeded(&self) -> Option<Dynamic> {
        if self.interrupt.as_ref().is_some_and(Cancellation::is_cancelled) {
            return Some(INTERRUPTED.into());
        }
        let deadline = *self.deadline.lock().unwrap_or_else(PoisonError::into_inner);
        if deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            return Some(TIME_IS_UP.into());
        }
        None
    }
}

/// An engine with everything that a script can reach.
pub struct ScriptEngine {
    engine: Arc<Engine>,
    sources: Arc<Sources>,
    /// Every name that a script can reach: gathered when it is first needed,
    /// since that takes longer than compiling a script.
    names: OnceLock<BTreeSet<String>>,
    limits: Limits,
}

/// One compiled script.
pub struct Script {
    ast: Arc<AST>,
    source: SourceText,
    parameters: Arc<HashMap<String, usize>>,
}

impl Script {
    /// How many parameters the function `name` takes; `None` if the script has
    /// no such function.
    pub fn parameters(&self, name: &str) -> Option<usize> {
        self.parameters.get(name).copied()
    }

    /// The script's text.
    pub fn source(&self) -> &SourceText {
        &self.source
    }
}

/// Words of Rhai that reach out of a check, or that only confuse in one.
const WITHHELD: [&str; 8] =
    ["eval", "print", "debug", "sleep", "timestamp", "import", "export", "exit"];

impl ScriptEngine {
    /// An engine whose scripts see `libraries` as modules of their names.
    ///
    /// # Errors
    /// [`ScriptError`] if one of the libraries does not compile.
    pub fn new(libraries: &[SupportScript], limits: Limits) -> Result<Self, ScriptError> {
        let mut engine = Engine::new_raw();
        for package in [
            LanguageCorePackage::new().as_shared_module(),
            ArithmeticPackage::new().as_shared_module(),
            LogicPackage::new().as_shared_module(),
            BasicMathPackage::new().as_shared_module(),
            BasicStringPackage::new().as_shared_module(),
            MoreStringPackage::new().as_shared_module(),
            BasicIteratorPackage::new().as_shared_module(),
            BasicFnPackage::new().as_shared_module(),
            BasicArrayPackage::new().as_shared_module(),
            BasicBlobPackage::new().as_shared_module(),
            BasicMapPackage::new().as_shared_module(),
        ] {
            engine.register_global_module(package);
        }
        for word in WITHHELD {
            engine.disable_symbol(word);
        }
        engine
            .set_max_operations(OPERATION_LIMIT)
            .set_max_call_levels(CALL_DEPTH_LIMIT)
            .set_max_string_size(STRING_LIMIT)
            .set_max_array_size(ITEM_LIMIT)
            .set_max_map_size(ITEM_LIMIT)
            .set_max_variables(VARIABLE_LIMIT)
            .set_max_expr_depths(EXPRESSION_DEPTH_LIMIT, EXPRESSION_DEPTH_LIMIT)
            .set_max_modules(0);
        let watched = limits.clone();
        // Looking at the clock costs more than an operation; every 256th is
        // soon enough.
        engine.on_progress(move |operations| {
            if watched.holds_too_much() {
                return Some(TOO_MUCH_MEMORY.into());
            }
            if operations % 256 == 0 { watched.exceeded() } else { None }
        });
        // `sleep` belongs to the language's core and is no symbol of its own.
        engine.register_fn("sleep", |_: i64| no_sleep()).register_fn("sleep", |_: f64| no_sleep());
        // Rhai's own would make the whole text before it looks how long it is.
        engine.register_fn("replace", |text: &mut ImmutableString, old: &str, new: &str| {
            replace(text, text.matches(old).count(), new, |text| text.replace(old, new))
        });
        engine.register_fn("replace", |text: &mut ImmutableString, old: char, new: &str| {
            replace(text, text.matches(old).count(), new, |text| text.replace(old, new))
        });
        list::register(&mut engine);
        action::register(&mut engine);
        server::register(&mut engine);
        client::register(&mut engine);
        host::register(&mut engine);
        seen::register(&mut engine);
        fault::register(&mut engine);

        let mut sources = Sources::new();
        for library in libraries {
            let ast = compile(&engine, &library.source)?;
            let module = Module::eval_ast_as_new(Scope::new(), &ast, &engine).map_err(|error| {
                ScriptError::from_evaluation(&error, &library.source, &sources, Vec::new)
            })?;
            engine.register_static_module(library.name.as_str(), module.into());
            sources.insert(library.source.name().to_owned(), library.source.clone());
        }
        Ok(ScriptEngine {
            engine: Arc::new(engine),
            sources: Arc::new(sources),
            names: OnceLock::new(),
            limits,
        })
    }

    /// When a script that runs has to end.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// The engine itself, for what is generated from it.
    pub fn engine(&self) -> &Engine {
        &self.engine
    }

    /// Compiles a script.
    ///
    /// # Errors
    /// [`ScriptError`] if it does not compile, or defines a name of the API
    /// anew.
    pub fn compile(&self, source: &SourceText) -> Result<Script, ScriptError> {
        let ast = compile(&self.engine, source)?;
        let mut parameters = HashMap::new();
        for function in ast.iter_functions() {
            parameters.insert(function.name.to_owned(), function.params.len());
        }
        // The functions of the API would lose against those of the script.
        if parameters
            .keys()
            .any(|name| !ENTRY_POINTS.contains(&name.as_str()) && !name.contains('$'))
        {
            let reachable = self.names();
            let mut redefined: Vec<_> =
                parameters.keys().filter(|name| reachable.contains(*name)).collect();
            redefined.sort();
            if let Some(name) = redefined.first() {
                let place = definition(source, name);
                let error = ScriptError::new(
                    format!("the script defines `{name}`, which is a name of the API"),
                    "give the function another name",
                );
                return Err(match place {
                    Some(place) => error.at(place, "defined here"),
                    None => error,
                });
            }
        }
        Ok(Script { ast: Arc::new(ast), source: source.clone(), parameters: Arc::new(parameters) })
    }

    fn names(&self) -> &BTreeSet<String> {
        self.names.get_or_init(|| reachable_names(&self.engine).into_iter().collect())
    }

    /// Handlers of `script`, to be called by the double.
    pub fn handlers(&self, script: &Script) -> Handlers {
        Handlers {
            engine: self.engine.clone(),
            ast: script.ast.clone(),
            parameters: script.parameters.clone(),
            trouble: Arc::default(),
        }
    }

    /// Calls the function `name` of `script`.
    ///
    /// # Errors
    /// [`ScriptError`] with the place where it failed.
    pub fn invoke(
        &self,
        script: &Script,
        name: &str,
        arguments: impl FuncArgs,
    ) -> Result<Dynamic, ScriptError> {
        self.limits.measure_memory();
        let options = CallFnOptions::new().eval_ast(false);
        self.engine
            .call_fn_with_options::<Dynamic>(
                options,
                &mut Scope::new(),
                &script.ast,
                name,
                arguments,
            )
            .map_err(|error| self.error(script, &error, name))
    }

    /// The first error that a handler of `script` ended with.
    pub fn handler_error(&self, script: &Script, handlers: &Handlers) -> Option<ScriptError> {
        let trouble = handlers.trouble.lock().unwrap_or_else(PoisonError::into_inner).take();
        trouble.map(|error| self.error(script, &error, "serve"))
    }

    /// The error of a call of the function `called`: what has no place of its
    /// own, such as a loop with nothing in it, is shown there.
    fn error(&self, script: &Script, error: &EvalAltResult, called: &str) -> ScriptError {
        let error = ScriptError::from_evaluation(error, &script.source, &self.sources, || {
            let mut names: Vec<String> = self.names().iter().cloned().collect();
            names.extend(script.parameters.keys().filter(|name| !name.contains('$')).cloned());
            names
        });
        match (error.place(), definition(&script.source, called)) {
            (None, Some(place)) => error.at(place, "somewhere in here"),
            _ => error,
        }
    }

    /// Finds the place of a call in `script` or in the support code.
    pub fn locate(
        &self,
        script: &Script,
    ) -> impl Fn(Option<&str>, Position) -> Option<Place> + Send + Sync + use<> {
        let (sources, main) = (self.sources.clone(), script.source.clone());
        move |name: Option<&str>, position: Position| {
            let source = name.and_then(|name| sources.get(name)).unwrap_or(&main);
            place(source, position)
        }
    }
}

/// It would hold up a worker, whatever its time.
fn no_sleep() -> Result<(), Box<EvalAltResult>> {
    Err("scripts do not sleep; `client.wait(ms)` and `after(ms, action)` let time pass".into())
}

/// Replaces something that stands `count` times in `text`, if the outcome is not
/// too long.
fn replace(
    text: &mut ImmutableString,
    count: usize,
    new: &str,
    replaced: impl FnOnce(&str) -> String,
) -> Result<(), Box<EvalAltResult>> {
    if count.saturating_mul(new.len()) > STRING_LIMIT {
        let what = "length of string".to_owned();
        return Err(EvalAltResult::ErrorDataTooLarge(what, Position::NONE).into());
    }
    *text = replaced(text).into();
    Ok(())
}

/// The functions that the runner calls.
const ENTRY_POINTS: [&str; 7] =
    ["serve", "drive", "judge", "operate", "request", "response", "seen"];

fn compile(engine: &Engine, source: &SourceText) -> Result<AST, ScriptError> {
    let mut ast = engine
        .compile(&**source.inner())
        .map_err(|error| ScriptError::from_parse(&error, source))?;
    ast.set_source(source.name());
    Ok(ast)
}

/// Where a function is defined.
fn definition(source: &SourceText, name: &str) -> Option<Place> {
    let text: &str = source.inner();
    let start = text.find(&format!("fn {name}("))?;
    Some(Place { source: source.clone(), span: start..start + "fn ".len() + name.len() })
}
