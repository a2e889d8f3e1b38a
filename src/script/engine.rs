//! The engine that runs scripts: [`ScriptEngine`]. One for each worker: one
//! that two threads share makes neither faster.

use std::collections::HashMap;
use std::sync::Arc;

use rhai::packages::{
    ArithmeticPackage, BasicArrayPackage, BasicBlobPackage, BasicFnPackage, BasicIteratorPackage,
    BasicMapPackage, BasicMathPackage, BasicStringPackage, LanguageCorePackage, LogicPackage,
    MoreStringPackage, Package,
};
use rhai::{
    AST, Dynamic, Engine, EvalAltResult, FuncArgs, LexError, Module, Position, Scope, Token,
};

use super::error::{ScriptError, Sources, place};
use super::handler::{Handlers, Homes, Library, call_function, homes, parameters};
use super::limits::{self, TOO_MUCH_MEMORY};
pub use super::limits::{
    CALL_DEPTH_LIMIT, ITEM_LIMIT, Limits, MEMORY_LIMIT, OPERATION_LIMIT, STRING_LIMIT,
};
use super::log::Log;
use super::names::Names;
use super::words::{WITHHELD, Words, without_mark};
use super::{absent, reference};
use crate::check::discovery::{SupportScript, functions};
use crate::check::{Place, SourceText};

/// How many variables may be visible at once.
const VARIABLE_LIMIT: usize = 128;
/// How deep expressions nest, at top level and in functions.
const EXPRESSION_DEPTH_LIMIT: usize = 64;

/// An engine with everything that a script can reach.
pub struct ScriptEngine {
    engine: Arc<Engine>,
    sources: Arc<Sources>,
    libraries: Vec<Arc<Library>>,
    /// What the functions of the support code are called: `wire::accept_header`.
    support: Vec<String>,
    /// What was read of the script that is being compiled.
    words: Words,
    limits: Limits,
    log: Log,
}

/// One compiled script.
pub struct Script {
    ast: Arc<AST>,
    source: SourceText,
    parameters: Arc<HashMap<String, usize>>,
    /// Where handlers of the support code find functions.
    libraries: Homes,
}

impl Script {
    /// How many parameters the function `name` takes; `None` if the script has
    /// no such function.
    pub fn parameters(&self, name: &str) -> Option<usize> {
        self.parameters.get(name).copied()
    }

    pub(super) fn ast(&self) -> &AST {
        &self.ast
    }

    /// The script's text.
    pub fn source(&self) -> &SourceText {
        &self.source
    }
}

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
        // Looking at the clock costs more than an operation; every 256th is soon
        // enough. Rhai's own count begins anew in each function that a function of an
        // array or a list calls, so it is not gone by.
        engine.on_progress(move |_| {
            if watched.holds_too_much() {
                return Some(TOO_MUCH_MEMORY.into());
            }
            watched.operation()
        });
        let words = Words::default();
        read_words(&mut engine, &words);
        engine.register_global_module(reference::module());
        let log = Log::default();
        engine.set_default_tag(Dynamic::from(log.clone()));

        let mut sources = Sources::new();
        let (mut support, mut compiled) = (Vec::new(), Vec::new());
        for library in libraries {
            words.begin(std::iter::empty());
            let ast = compile(&engine, &library.source)?;
            let module = Module::eval_ast_as_new(Scope::new(), &ast, &engine).map_err(|error| {
                ScriptError::from_evaluation(&error, &library.source, &sources, || {
                    Names::of(&engine, reference::groups())
                })
            })?;
            let functions = ast.iter_functions().filter(|function| !function.name.contains('$'));
            support
                .extend(functions.map(|function| format!("{}::{}", library.name, function.name)));
            engine.register_static_module(library.name.as_str(), module.into());
            sources.insert(library.source.name().to_owned(), library.source.clone());
            compiled.push(Arc::new(Library::new(ast)));
        }
        Ok(ScriptEngine {
            engine: Arc::new(engine),
            sources: Arc::new(sources),
            libraries: compiled,
            support,
            words,
            limits,
            log,
        })
    }

    /// When a script that runs has to end.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Where scripts log; it begins anew for an execution of `script`.
    pub fn begin_log(&self, script: &Script) -> &Log {
        self.log.begin(&script.source, self.sources.clone());
        &self.log
    }

    /// Where scripts log.
    pub fn log(&self) -> &Log {
        &self.log
    }

    /// The engine itself, for what is generated from it.
    pub fn engine(&self) -> &Engine {
        &self.engine
    }

    /// Compiles a script. A function that it defines may have any name: where the
    /// script calls it by its name alone, it stands in the place of one of the API;
    /// what is called on a value is always the API's.
    ///
    /// # Errors
    /// [`ScriptError`] if it does not compile.
    pub fn compile(&self, source: &SourceText) -> Result<Script, ScriptError> {
        self.words.begin(functions::names(source.inner()));
        let ast = compile(&self.engine, source)?;
        let parameters = Arc::new(parameters(&ast));
        let libraries = homes(&self.libraries);
        Ok(Script { ast: Arc::new(ast), source: source.clone(), parameters, libraries })
    }

    /// Every name that `script` can reach: gathered when it is needed, since that
    /// takes longer than compiling a script.
    fn names(&self, script: &Script) -> Names {
        let mut names = Names::of(&self.engine, reference::groups());
        names.support.clone_from(&self.support);
        let own = script.parameters.keys().filter(|name| !name.contains('$'));
        names.own.extend(own.map(|name| without_mark(name)));
        names
    }

    /// Handlers of `script`, to be called by the double.
    pub fn handlers(&self, script: &Script) -> Handlers {
        let (ast, parameters) = (script.ast.clone(), script.parameters.clone());
        Handlers::new(self.engine.clone(), ast, parameters, script.libraries.clone())
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
        self.limits.measure();
        call_function(&self.engine, &script.ast, name, arguments)
            .map_err(|error| self.error(script, &error, name))
    }

    /// The first error that a handler of `script` ended with.
    pub fn handler_error(&self, script: &Script, handlers: &Handlers) -> Option<ScriptError> {
        handlers.take_error().map(|error| self.error(script, &error, "serve"))
    }

    /// The error of a call of the function `called`: what has no place of its
    /// own, such as a loop with nothing in it, is shown there.
    pub(super) fn error(
        &self,
        script: &Script,
        error: &EvalAltResult,
        called: &str,
    ) -> ScriptError {
        let names = || self.names(script);
        let error = ScriptError::from_evaluation(error, &script.source, &self.sources, names);
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

/// Whatever is done with what never happened is absent too, `type_of` included;
/// and a word that Rhai keeps for itself can be a key or a property.
// Both hooks may change with Rhai's minor versions, which is all that their mark of
// deprecation says.
#[allow(deprecated)]
fn read_words(engine: &mut Engine, words: &Words) {
    engine.on_missing_function(|_, arguments, _, _| Ok(absent::missing(arguments)));
    let words = words.clone();
    engine.on_parse_token(move |token, _, _| match words.read(token) {
        _ if limits::is_late() => Token::LexError(
            LexError::Runtime("it was not compiled in the time that a check has".to_owned()).into(),
        ),
        Token::Identifier(name) | Token::Reserved(name) if *name == "type_of" => {
            Token::Identifier(Box::new(absent::KIND.into()))
        }
        other => other,
    });
}

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
    let name = without_mark(name);
    let start = text.find(&format!("fn {name}("))?;
    Some(Place { source: source.clone(), span: start..start + "fn ".len() + name.len() })
}
