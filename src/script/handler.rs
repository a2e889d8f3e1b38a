//! Handlers: [`Handlers`] calls the functions of a script and turns what they
//! return into what the double, or the built-in client, does.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use rhai::{AST, CallFnOptions, Dynamic, Engine, EvalAltResult, FnPtr, FuncArgs, Position, Scope};
use serde_json::Value;

use super::action::{Meaning, ScriptAction};
use super::api::Evaluated;
use super::limits::begin_handler;
use super::value::{from_json, to_json};
use crate::mcp::client::features::{ClientFeature, Handler};
use crate::mcp::json_rpc::{ErrorObject, INTERNAL_ERROR};
use crate::mcp::server::Action;

/// Calls the functions of one compiled script. A clone is another handle.
///
/// A function is found only in the text that it was written in, so its AST is
/// kept together with it: that of the script, and for functions of the support
/// code that of their library.
#[derive(Clone)]
pub struct Handlers {
    engine: Arc<Engine>,
    script: Arc<AST>,
    /// How many parameters each function of the script has.
    parameters: Arc<HashMap<String, usize>>,
    libraries: Homes,
    /// The first error that a handler ended with.
    trouble: Arc<Mutex<Option<Box<EvalAltResult>>>>,
}

/// A support script, with what is needed to call its functions by name.
pub(super) struct Library {
    ast: AST,
    /// How many parameters each of its functions has, closures included.
    parameters: HashMap<String, usize>,
}

impl Library {
    /// The functions of a support script that was compiled.
    pub(super) fn new(ast: AST) -> Self {
        let parameters = parameters(&ast);
        Library { ast, parameters }
    }
}

/// How many parameters each function of a text has, closures included.
pub(super) fn parameters(ast: &AST) -> HashMap<String, usize> {
    let counted =
        |function: rhai::ScriptFnMetadata<'_>| (function.name.to_owned(), function.params.len());
    ast.iter_functions().map(counted).collect()
}

/// Where a handler of the support code finds functions: those of its library,
/// then those of the script, which may have given it some to call.
pub(super) struct Home {
    library: Arc<Library>,
    ast: OnceLock<AST>,
}

/// The homes of one script, one for each library.
pub(super) type Homes = Arc<[Home]>;

/// The homes of a script that was just compiled.
pub(super) fn homes(libraries: &[Arc<Library>]) -> Homes {
    libraries
        .iter()
        .map(|library| Home { library: library.clone(), ast: OnceLock::new() })
        .collect()
}

/// Calls a function of a text by its name, without running the text itself.
///
/// # Errors
/// What the function failed with.
pub(super) fn call_function(
    engine: &Engine,
    ast: &AST,
    name: &str,
    arguments: impl FuncArgs,
) -> Evaluated<Dynamic> {
    let options = CallFnOptions::new().eval_ast(false);
    engine.call_fn_with_options(options, &mut Scope::new(), ast, name, arguments)
}

impl Home {
    /// What a function is called with; made when it is first needed, since most
    /// scripts have no such handler.
    fn ast(&self, script: &AST) -> &AST {
        self.ast.get_or_init(|| script.clone_functions_only().merge(&self.library.ast))
    }
}

impl Handlers {
    /// Handlers of a script, whose functions have so many `parameters`, and of
    /// the libraries that it has a home for.
    pub(super) fn new(
        engine: Arc<Engine>,
        script: Arc<AST>,
        parameters: Arc<HashMap<String, usize>>,
        libraries: Homes,
    ) -> Self {
        Handlers { engine, script, parameters, libraries, trouble: Arc::default() }
    }

    /// Calls a function of the script by its name, with as many of `arguments` as it
    /// takes.
    ///
    /// # Errors
    /// What the function failed with.
    pub(super) fn call(&self, name: &str, mut arguments: Vec<Dynamic>) -> Evaluated<Dynamic> {
        if let Some(all) = self.parameters.get(name) {
            arguments.truncate(*all);
        }
        call_function(&self.engine, &self.script, name, arguments)
    }

    /// Whether a handler ended with an error.
    pub(super) fn has_failed(&self) -> bool {
        self.trouble.lock().unwrap_or_else(PoisonError::into_inner).is_some()
    }

    /// The first error that a handler ended with; it is handed out once.
    pub(super) fn take_error(&self) -> Option<Box<EvalAltResult>> {
        self.trouble.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Calls `function` with as many of `arguments` as it takes and turns what
    /// it returns into an action.
    ///
    /// A handler that fails breaks the check: the error is kept, and the client
    /// is told of an internal error.
    pub fn act(&self, function: &FnPtr, arguments: Vec<Dynamic>, meaning: &Meaning) -> Action {
        self.evaluate(function, arguments, meaning).unwrap_or_else(|error| {
            self.fail(error);
            Action::Error { code: INTERNAL_ERROR, message: "Internal error".to_owned(), data: None }
        })
    }

    /// A handler of the built-in client, for what servers ask of `feature`: it
    /// returns a value, `error(…)`, `silence()`, or any of them `after(…)` a
    /// time that is divided by `scale`.
    pub fn of_client(&self, function: FnPtr, feature: ClientFeature, scale: u32) -> Handler {
        let handlers = self.clone();
        Arc::new(move |params| {
            let meaning = Meaning::Feature(feature);
            let action = handlers.act(&function, vec![from_json(&params)], &meaning);
            Box::pin(answer(handlers.clone(), action, scale))
        })
    }

    /// Keeps the first error of a handler: it breaks the check.
    pub(super) fn fail(&self, error: Box<EvalAltResult>) {
        self.trouble.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
    }

    fn evaluate(
        &self,
        function: &FnPtr,
        mut arguments: Vec<Dynamic>,
        meaning: &Meaning,
    ) -> Evaluated<Action> {
        let name = function.fn_name();
        let home = self.home(name);
        let (ast, all) = match home {
            Some(home) => (home.ast(&self.script), home.library.parameters.get(name)),
            None => (&*self.script, self.parameters.get(name)),
        };
        if let Some(all) = all {
            arguments.truncate(all.saturating_sub(function.curry().len()));
        }
        begin_handler();
        let called = function.call::<Dynamic>(&self.engine, ast, arguments);
        let returned =
            called.map_err(|error| match home.and_then(|home| home.library.ast.source()) {
                // Without it, the place would be looked for in the script.
                Some(library) => EvalAltResult::ErrorInFunctionCall(
                    name.to_owned(),
                    library.to_owned(),
                    error,
                    Position::NONE,
                )
                .into(),
                None => error,
            })?;
        self.action(returned, meaning)
    }

    /// Where a function of the support code was written; `None` for one of the
    /// script.
    fn home(&self, name: &str) -> Option<&Home> {
        if self.parameters.contains_key(name) {
            return None;
        }
        self.libraries.iter().find(|home| home.library.parameters.contains_key(name))
    }

    fn action(&self, returned: Dynamic, meaning: &Meaning) -> Evaluated<Action> {
        let Some(action) = returned.read_lock::<ScriptAction>().map(|action| action.clone()) else {
            let value = to_json(&returned)
                .map_err(|found| format!("a handler returns a value or an action, not {found}"))?;
            return Ok(Action::Value(meaning.result(value)));
        };
        Ok(match action {
            ScriptAction::Ready(action) => action,
            ScriptAction::After(time, next) => {
                Action::After(time, Box::new(self.action(next, meaning)?))
            }
            ScriptAction::Ask { method, params, then } => {
                let (handlers, meaning) = (self.clone(), meaning.clone());
                let then = Arc::new(move |answer: &Value| {
                    handlers.act(&then, vec![from_json(answer)], &meaning)
                });
                Action::Ask { method, params, then }
            }
        })
    }
}

/// What an action of a client's handler comes to, in its own time.
async fn answer(handlers: Handlers, mut action: Action, scale: u32) -> Result<Value, ErrorObject> {
    loop {
        action = match action {
            Action::Value(result) | Action::Reply { result, framing: None } => return Ok(result),
            Action::Error { code, message, data } => {
                return Err(ErrorObject { code, message, data });
            }
            Action::After(time, next) => {
                tokio::time::sleep(time / scale.max(1)).await;
                *next
            }
            Action::Silence => std::future::pending().await,
            _ => {
                let message = "a handler of the client returns a value, error(…), after(…) or \
                               silence()";
                handlers.fail(message.into());
                let message = "Internal error".to_owned();
                return Err(ErrorObject { code: INTERNAL_ERROR, message, data: None });
            }
        }
    }
}
