//! A function statement by statement, for a judge that goes on from something
//! that never happened. The main type is [`Unfinished`].
//!
//! Rhai's `if`, `&&` and `||` want to know, so a function ends where they come to
//! what is absent. The claims that stand after that place have nothing to do with
//! it most of the time: so the function is called once more, and the statement is
//! passed over.

use std::collections::BTreeSet;

use rhai::{AST, ASTNode, Dynamic, EvalAltResult, Expr, Position, Scope, Stmt};

use super::engine::{Script, ScriptEngine};
use super::error::{Cause, ScriptError, offset};
use super::interrupted;
use super::value::Absent;

/// A statement that did not come to its end, and what it would have decided.
pub struct Unfinished {
    /// How it ended.
    pub error: ScriptError,
    /// The checkpoints that it was deciding or had still to decide.
    pub checkpoints: BTreeSet<String>,
}

/// What the last of two statements returns if the first came to its end.
const CAME_TO_ITS_END: &str = "\0came to its end";

/// Methods that change what they are called on: after half of such a statement,
/// later ones would decide on half of a value.
const CHANGING: [&str; 8] =
    ["append", "clear", "insert", "pop", "push", "remove", "shift", "splice"];

impl ScriptEngine {
    /// Calls the function `name` of `script` statement by statement. One that goes
    /// on from something that never happened, or from a value of the wrong shape, is
    /// passed over, unless it would have changed or returned something; with it the
    /// function ends.
    ///
    /// # Errors
    /// [`ScriptError`] if a statement failed for any other reason.
    pub fn invoke_by_statements(
        &self,
        script: &Script,
        name: &str,
        arguments: Vec<Dynamic>,
    ) -> Result<Vec<Unfinished>, ScriptError> {
        let mut scope = Scope::new();
        for (parameter, argument) in parameters(script.ast(), name).into_iter().zip(arguments) {
            scope.push_dynamic(parameter, argument);
        }
        let statements = statements(script.ast(), name);
        let mut unfinished = Vec::new();
        for (index, statement) in statements.iter().enumerate() {
            let sentinel = Expr::StringConstant(CAME_TO_ITS_END.into(), Position::NONE);
            let both = [statement.clone(), Stmt::Expr(Box::new(sentinel))];
            let ast = AST::new_with_source(
                both,
                script.ast().shared_lib().clone(),
                script.source().name(),
            );
            let variables = scope.len();
            match self.evaluate(&ast, &mut scope) {
                Ok(value) if is_sentinel(&value) => continue,
                // It returned.
                Ok(_) => break,
                Err(error) => {
                    let error = self.error(script, &error, name);
                    if !matches!(error.cause, Cause::Absent | Cause::Shape) {
                        return Err(error);
                    }
                    let next = statements.get(index + 1).filter(|_| can_be_passed_over(statement));
                    let next_place = next.and_then(|next| offset(script.source(), next.position()));
                    let checkpoints = interrupted::checkpoints(error.frames(), next_place);
                    scope.rewind(variables);
                    unfinished.push(Unfinished { error, checkpoints });
                    match statement {
                        Stmt::Var(of, ..) => {
                            scope.push_dynamic(of.0.name.clone(), Dynamic::from(Absent));
                        }
                        _ if next.is_some() => {}
                        _ => break,
                    }
                }
            }
        }
        Ok(unfinished)
    }

    fn evaluate(&self, ast: &AST, scope: &mut Scope<'_>) -> Result<Dynamic, Box<EvalAltResult>> {
        self.limits().measure();
        self.engine().eval_ast_with_scope(scope, ast)
    }
}

fn is_sentinel(value: &Dynamic) -> bool {
    value.read_lock::<rhai::ImmutableString>().is_some_and(|text| *text == CAME_TO_ITS_END)
}

fn parameters(ast: &AST, name: &str) -> Vec<String> {
    let function = ast.iter_functions().find(|function| function.name == name);
    let names = function.into_iter().flat_map(|function| function.params);
    names.map(str::to_owned).collect()
}

/// The statements of the body of a function.
fn statements(ast: &AST, name: &str) -> Vec<Stmt> {
    let mut alone = ast.clone_functions_only();
    alone.retain_functions(|_, _, function, _| function == name);
    let mut statements = Vec::new();
    alone.walk(&mut |path| {
        if let [ASTNode::Stmt(statement)] = path {
            statements.push((*statement).clone());
        }
        true
    });
    statements
}

/// Whether what comes after a statement means the same without it.
fn can_be_passed_over(statement: &Stmt) -> bool {
    let mut can_be = true;
    statement.walk(&mut Vec::new(), &mut |path: &[ASTNode<'_>]| {
        can_be &= match path.last() {
            Some(ASTNode::Stmt(Stmt::Return(..) | Stmt::Assignment(..))) => false,
            Some(ASTNode::Expr(Expr::MethodCall(call, _))) => {
                !CHANGING.contains(&call.name.as_str())
            }
            _ => true,
        };
        can_be
    });
    can_be
}
