//! What scripts can reach, declared once: [`Api`]. The file of a type says of each
//! function what it is for, how it is called and which function of Rust it is; what
//! `mcp-checks api` prints, the hints at misspelt names and Rhai's registration are
//! made of that.
//!
//! ```text
//! api.methods::<Origin>("origins", "origin", "A further place on the web, …")
//!     .doc("The URL of the origin, without a path.")
//!     .property("url: string", |origin| origin.url())
//!     .doc("Answers requests of a path; …")
//!     .function("on(path: string, handler: function)", |origin, (path, handler)| …);
//! ```
//!
//! A function of Rust gets the value that it is called on, and its arguments: `()`, one
//! value, or a tuple. What it takes are function pointers and no closures of types of
//! their own, so that the code around them is made once for each signature (`native`).

mod native;
mod signature;

use std::marker::PhantomData;

use rhai::{Dynamic, FuncRegistration, Module, NativeCallContext};

pub(super) use self::native::{Argument, Arguments, Evaluated, Returned, ScriptType};
pub use self::signature::Signature;

use self::native::Native;

/// A text as scripts hold it.
pub(super) type Text = rhai::ImmutableString;

/// The sentence on a property of several types.
pub(super) const HAS_HANDSHAKE: &str = "Whether a connection of this revision begins with \
    `initialize`, as up to 2025-11-25; later each request carries its own state.";

/// What scripts reach by one value, or by name alone.
#[derive(Debug)]
pub struct Group {
    /// Its heading: `server`.
    pub name: &'static str,
    /// The type and the name of the value before the dot; `None` for functions
    /// that are called by their name alone.
    pub receiver: Option<(&'static str, &'static str)>,
    /// What it is, in a sentence or two.
    pub sentence: &'static str,
    /// What there is, in the order in which it is best read.
    pub entries: Vec<Entry>,
}

/// One thing that a script can reach: several signatures if it can be called in
/// several ways.
#[derive(Debug)]
pub struct Entry {
    /// How it is called; [`Signature`] takes one apart.
    pub signatures: Vec<&'static str>,
    /// What it does, in one sentence or a few.
    pub sentence: &'static str,
}

/// Everything that was declared.
#[derive(Default)]
pub(super) struct Api {
    /// What is told of it.
    pub groups: Vec<Group>,
    /// The same for Rhai.
    pub module: Module,
    /// Signatures that say something else than their function; a test wants none.
    pub mistakes: Vec<String>,
}

impl Api {
    /// Declares what is reached by a value of the type `T`, under a heading; examples
    /// call the value `variable`.
    pub fn methods<T: ScriptType>(
        &mut self,
        heading: &'static str,
        variable: &'static str,
        sentence: &'static str,
    ) -> Methods<'_, T> {
        self.module.set_custom_type::<T>(T::NAME);
        self.begin(heading, Some((T::NAME, variable)), sentence);
        Methods { api: self, of: PhantomData }
    }

    /// Declares functions that are called by their name alone, and operators.
    pub fn functions(&mut self, heading: &'static str, sentence: &'static str) -> Functions<'_> {
        self.begin(heading, None, sentence);
        Functions { api: self }
    }

    /// Registers what takes the place of Rhai's own functions, and is not told of.
    pub fn replacements(&mut self) -> Replacements<'_> {
        Replacements { module: &mut self.module }
    }

    /// A type that has no methods of its own.
    pub fn opaque<T: ScriptType>(&mut self) -> &mut Self {
        self.module.set_custom_type::<T>(T::NAME);
        self
    }

    fn begin(
        &mut self,
        name: &'static str,
        receiver: Option<(&'static str, &'static str)>,
        sentence: &'static str,
    ) {
        self.groups.push(Group { name, receiver, sentence, entries: Vec::new() });
    }

    fn doc(&mut self, sentence: &'static str) {
        if let Some(group) = self.groups.last_mut() {
            group.entries.push(Entry { signatures: Vec::new(), sentence });
        }
    }

    /// Writes down a signature of the entry that was begun, and registers its function.
    fn declare(&mut self, signature: &'static str, native: Native) {
        let Some(group) = self.groups.last_mut() else { return };
        let receivers = usize::from(group.receiver.is_some());
        let names: Vec<_> = native.parameters.iter().skip(receivers).map(|of| of.name).collect();
        let parsed = Signature::parse(signature);
        let agrees = parsed.as_ref().is_some_and(|told| told.agrees(&names, native.returns));
        match group.entries.last_mut() {
            Some(entry) if agrees => entry.signatures.push(signature),
            _ => self.mistakes.push(format!("{}: {signature}", group.name)),
        }
        if let Some(parsed) = parsed {
            register(&mut self.module, registration(&parsed), native);
        }
    }

    /// Registers what sets a property that was written down; it takes values `of` a
    /// type.
    fn declare_setter(&mut self, signature: &'static str, of: &str, set: Native) {
        match Signature::parse(signature) {
            Some(Signature::Property { name, of: told, settable: true })
                if of == "any" || of == told =>
            {
                // Rhai's own registration of setters takes no functions that are made.
                register(&mut self.module, FuncRegistration::new(format!("set${name}")), set);
            }
            _ => self.mistakes.push(format!("{signature}, which can be set")),
        }
    }
}

fn registration(signature: &Signature<'_>) -> FuncRegistration {
    match signature {
        Signature::Function { name, .. } => FuncRegistration::new(*name),
        Signature::Property { name, .. } => FuncRegistration::new_getter(name),
        Signature::Index { .. } => FuncRegistration::new_index_getter(),
        Signature::Operator { operator, .. } => FuncRegistration::new(*operator),
    }
}

fn register(module: &mut Module, registration: FuncRegistration, native: Native) {
    let types: Vec<_> = native.parameters.iter().map(|of| of.id).collect();
    registration.in_global_namespace().set_into_module_raw(module, types, native.function);
}

/// What is reached by a value of the type `T`.
pub(super) struct Methods<'a, T> {
    api: &'a mut Api,
    of: PhantomData<T>,
}

impl<T: ScriptType> Methods<'_, T> {
    /// What the signatures after it are for, in one sentence or a few.
    pub fn doc(&mut self, sentence: &'static str) -> &mut Self {
        self.api.doc(sentence);
        self
    }

    /// A function: `page(size: integer)`.
    pub fn function<A: Arguments + 'static, R: Returned + 'static>(
        &mut self,
        signature: &'static str,
        function: fn(&mut T, A) -> R,
    ) -> &mut Self {
        self.api.declare(signature, Native::method(function));
        self
    }

    /// A function that knows where in the script it is called.
    pub fn function_in_context<A: Arguments + 'static, R: Returned + 'static>(
        &mut self,
        signature: &'static str,
        function: fn(&NativeCallContext<'_>, &mut T, A) -> R,
    ) -> &mut Self {
        self.api.declare(signature, Native::method_in_context(function));
        self
    }

    /// A function that takes its `count` arguments as they come, whatever they are.
    pub fn function_of_many<R: Returned + 'static>(
        &mut self,
        signature: &'static str,
        count: usize,
        function: impl Fn(&mut T, Vec<Dynamic>) -> R + Send + Sync + 'static,
    ) -> &mut Self {
        self.api.declare(signature, Native::method_of_many(count, function));
        self
    }

    /// A property: `url: string`.
    pub fn property<R: Returned + 'static>(
        &mut self,
        signature: &'static str,
        get: fn(&mut T) -> R,
    ) -> &mut Self {
        self.api.declare(signature, Native::property(get));
        self
    }

    /// A property that can be set: `body: string, settable`.
    pub fn settable<R: Returned + 'static, V: Argument, S: Returned + 'static>(
        &mut self,
        signature: &'static str,
        get: fn(&mut T) -> R,
        set: fn(&mut T, V) -> S,
    ) -> &mut Self {
        self.property(signature, get);
        self.api.declare_setter(signature, V::NAME, Native::method(set).changing());
        self
    }

    /// An index: `[index: integer] -> any`.
    pub fn index<I: Argument, R: Returned + 'static>(
        &mut self,
        signature: &'static str,
        get: fn(&mut T, I) -> R,
    ) -> &mut Self {
        self.api.declare(signature, Native::method(get));
        self
    }
}

/// What is called by its name alone.
pub(super) struct Functions<'a> {
    api: &'a mut Api,
}

impl Functions<'_> {
    /// What the signatures after it are for, in one sentence or a few.
    pub fn doc(&mut self, sentence: &'static str) -> &mut Self {
        self.api.doc(sentence);
        self
    }

    /// A function, `silence() -> Action`, or an operator, `List == array -> bool`.
    pub fn function<A: Arguments + 'static, R: Returned + 'static>(
        &mut self,
        signature: &'static str,
        function: fn(A) -> R,
    ) -> &mut Self {
        self.api.declare(signature, Native::function(function));
        self
    }

    /// A function that knows where in the script it is called.
    pub fn function_in_context<A: Arguments + 'static, R: Returned + 'static>(
        &mut self,
        signature: &'static str,
        function: fn(&NativeCallContext<'_>, A) -> R,
    ) -> &mut Self {
        self.api.declare(signature, Native::function_in_context(function));
        self
    }
}

/// What takes the place of Rhai's own functions, by name and types.
pub(super) struct Replacements<'a> {
    module: &'a mut Module,
}

impl Replacements<'_> {
    /// A function or an operator.
    pub fn function<A: Arguments + 'static, R: Returned + 'static>(
        &mut self,
        name: &str,
        function: fn(A) -> R,
    ) -> &mut Self {
        register(self.module, FuncRegistration::new(name), Native::function(function));
        self
    }

    /// A function that knows where in the script it is called.
    pub fn function_in_context<A: Arguments + 'static, R: Returned + 'static>(
        &mut self,
        name: &str,
        function: fn(&NativeCallContext<'_>, A) -> R,
    ) -> &mut Self {
        register(self.module, FuncRegistration::new(name), Native::function_in_context(function));
        self
    }

    /// A function that changes the value that it is called on.
    pub fn method<T: ScriptType, A: Arguments + 'static, R: Returned + 'static>(
        &mut self,
        name: &str,
        function: fn(&mut T, A) -> R,
    ) -> &mut Self {
        register(self.module, FuncRegistration::new(name), Native::method(function));
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_declared_wrongly_is_a_mistake() {
        let mut api = Api::default();
        api.functions("functions", "Some.")
            .doc("Right.")
            .function("right(text: string) -> integer", |text: Text| text.len() as i64)
            .doc("Wrong.")
            .function("wrong(text: map) -> integer", |text: Text| text.len() as i64)
            .function("no signature", |()| ());
        api.methods::<i64>("numbers", "number", "Some.")
            .doc("It cannot be set by its signature.")
            .settable("one: integer", |number| *number, |number, one: i64| *number = one);
        let mistakes = ["functions: wrong(text: map) -> integer", "functions: no signature"];
        assert_eq!(api.mistakes[..2], mistakes);
        assert_eq!(api.mistakes[2..], ["one: integer, which can be set"]);
        assert_eq!(api.groups[0].entries[0].signatures, ["right(text: string) -> integer"]);
    }
}
