//! A function of Rust as Rhai calls it. Code is made once for each signature of
//! function pointers, not for each function: the conversions below are shared by all
//! that have the same types.

use std::any::TypeId;
use std::sync::Arc;

use rhai::{
    Array, Dynamic, DynamicWriteLock, EvalAltResult, FnPtr, ImmutableString, Map,
    NativeCallContext, RhaiFunc,
};

/// What a function of the API comes to, or the error that ends the evaluation.
pub(in crate::script) type Evaluated<T> = Result<T, Box<EvalAltResult>>;

/// What Rhai calls: the values of a call, the receiver of a method first.
type Called =
    dyn Fn(Option<NativeCallContext<'_>>, &mut [&mut Dynamic]) -> Evaluated<Dynamic> + Send + Sync;

/// A type of values that scripts hold.
pub(in crate::script) trait ScriptType: Clone + Send + Sync + 'static {
    /// What the signatures of the API call it.
    const NAME: &'static str;
}

/// A type that scripts hand to functions.
pub(in crate::script) trait Argument: ScriptType {}

/// What stands between the parentheses of a call: nothing, one value, or a tuple.
pub(in crate::script) trait Arguments: Sized {
    /// Their types, in order.
    fn types() -> Vec<Type>;
    /// Takes them out of the values of a call; `None` if there are others.
    fn take(values: &mut [&mut Dynamic]) -> Option<Self>;
}

/// What a function returns: a value, or the error that ends the evaluation.
pub(in crate::script) trait Returned {
    /// What the signatures of the API call it.
    const NAME: &'static str;
    /// The value as scripts hold it.
    ///
    /// # Errors
    /// That of the function.
    fn evaluated(self) -> Evaluated<Dynamic>;
}

/// A type, for Rhai and for people.
#[derive(Clone, Copy)]
pub(in crate::script) struct Type {
    pub id: TypeId,
    pub name: &'static str,
}

impl Type {
    pub fn of<T: ScriptType>() -> Self {
        Type { id: TypeId::of::<T>(), name: T::NAME }
    }
}

macro_rules! script_types {
    ($($type:ty => $name:literal),* $(,)?) => {
        $(impl ScriptType for $type { const NAME: &'static str = $name; })*
    };
}

macro_rules! arguments {
    ($($type:ty),* $(,)?) => { $(impl Argument for $type {})* };
}

script_types! {
    Dynamic => "any",
    () => "()",
    bool => "bool",
    i64 => "integer",
    f64 => "float",
    char => "character",
    ImmutableString => "string",
    Array => "array",
    Map => "map",
    FnPtr => "function",
}

arguments!(Dynamic, bool, i64, f64, char, ImmutableString, Array, Map, FnPtr);

// These two stand in the code of each signature, and are the same for each type.
#[inline(never)]
fn take<T: ScriptType>(value: &mut Dynamic) -> Option<T> {
    value.take().try_cast()
}

#[inline(never)]
fn borrow<T: ScriptType>(value: &mut Dynamic) -> Evaluated<DynamicWriteLock<'_, T>> {
    value.write_lock().ok_or_else(|| OTHER_VALUES.into())
}

impl Arguments for () {
    fn types() -> Vec<Type> {
        Vec::new()
    }

    fn take(_: &mut [&mut Dynamic]) -> Option<Self> {
        Some(())
    }
}

impl<A: Argument> Arguments for A {
    fn types() -> Vec<Type> {
        vec![Type::of::<A>()]
    }

    fn take(values: &mut [&mut Dynamic]) -> Option<Self> {
        let [first] = values else { return None };
        take(first)
    }
}

impl<A: ScriptType, B: ScriptType> Arguments for (A, B) {
    fn types() -> Vec<Type> {
        vec![Type::of::<A>(), Type::of::<B>()]
    }

    fn take(values: &mut [&mut Dynamic]) -> Option<Self> {
        let [first, second] = values else { return None };
        Some((take(first)?, take(second)?))
    }
}

impl<A: ScriptType, B: ScriptType, C: ScriptType> Arguments for (A, B, C) {
    fn types() -> Vec<Type> {
        vec![Type::of::<A>(), Type::of::<B>(), Type::of::<C>()]
    }

    fn take(values: &mut [&mut Dynamic]) -> Option<Self> {
        let [first, second, third] = values else { return None };
        Some((take(first)?, take(second)?, take(third)?))
    }
}

impl<R: ScriptType> Returned for R {
    const NAME: &'static str = <R as ScriptType>::NAME;

    fn evaluated(self) -> Evaluated<Dynamic> {
        Ok(Dynamic::from(self))
    }
}

impl Returned for String {
    const NAME: &'static str = "string";

    fn evaluated(self) -> Evaluated<Dynamic> {
        Ok(self.into())
    }
}

impl Returned for &'static str {
    const NAME: &'static str = "string";

    fn evaluated(self) -> Evaluated<Dynamic> {
        Ok(self.into())
    }
}

impl<R: Returned> Returned for Evaluated<R> {
    const NAME: &'static str = R::NAME;

    fn evaluated(self) -> Evaluated<Dynamic> {
        self.and_then(R::evaluated)
    }
}

/// A function that Rhai can call, and its types.
pub(in crate::script) struct Native {
    pub function: RhaiFunc,
    /// The types of all its values, the receiver of a method first.
    pub parameters: Vec<Type>,
    /// What the signatures of the API call what it returns.
    pub returns: &'static str,
}

impl Native {
    /// A function that is called on a value, which it may change.
    pub fn method<T: ScriptType, A: Arguments + 'static, R: Returned + 'static>(
        function: fn(&mut T, A) -> R,
    ) -> Self {
        let called =
            Arc::new(move |_: Option<NativeCallContext<'_>>, values: &mut [&mut Dynamic]| {
                with_receiver(values, function)
            });
        Native::on(called, false, Type::of::<T>(), A::types(), R::NAME)
    }

    /// A property of a value.
    pub fn property<T: ScriptType, R: Returned + 'static>(function: fn(&mut T) -> R) -> Self {
        let called =
            Arc::new(move |_: Option<NativeCallContext<'_>>, values: &mut [&mut Dynamic]| {
                with_receiver(values, |receiver, ()| function(receiver))
            });
        Native::on(called, false, Type::of::<T>(), Vec::new(), R::NAME)
    }

    /// A function that is called on a value, and knows where in the script.
    pub fn method_in_context<T: ScriptType, A: Arguments + 'static, R: Returned + 'static>(
        function: fn(&NativeCallContext<'_>, &mut T, A) -> R,
    ) -> Self {
        let called =
            Arc::new(move |context: Option<NativeCallContext<'_>>, values: &mut [&mut Dynamic]| {
                let context = context.ok_or("no context is known")?;
                with_receiver(values, |receiver, arguments| function(&context, receiver, arguments))
            });
        Native::on(called, true, Type::of::<T>(), A::types(), R::NAME)
    }

    /// A function that is called on a value, with so many arguments of any type.
    pub fn method_of_many<T: ScriptType, R: Returned + 'static>(
        count: usize,
        function: impl Fn(&mut T, Vec<Dynamic>) -> R + Send + Sync + 'static,
    ) -> Self {
        let called =
            Arc::new(move |_: Option<NativeCallContext<'_>>, values: &mut [&mut Dynamic]| {
                let (receiver, rest) = values.split_first_mut().ok_or(OTHER_VALUES)?;
                let arguments = rest.iter_mut().map(|value| value.take()).collect();
                let mut receiver = borrow::<T>(receiver)?;
                function(&mut receiver, arguments).evaluated()
            });
        let arguments = vec![Type::of::<Dynamic>(); count];
        Native::on(called, false, Type::of::<T>(), arguments, R::NAME)
    }

    fn on(
        called: Arc<Called>,
        has_context: bool,
        receiver: Type,
        mut parameters: Vec<Type>,
        returns: &'static str,
    ) -> Self {
        // A value that is constant can be read all the same; a setter never gets one.
        let function =
            RhaiFunc::Method { func: called, has_context, is_pure: true, is_volatile: false };
        parameters.insert(0, receiver);
        Native { function, parameters, returns }
    }

    /// The same for what changes the value, which then is no constant.
    pub fn changing(self) -> Self {
        match self.function {
            RhaiFunc::Method { func, has_context, .. } => {
                let function =
                    RhaiFunc::Method { func, has_context, is_pure: false, is_volatile: false };
                Native { function, ..self }
            }
            function => Native { function, ..self },
        }
    }

    /// A function that is called by its name alone.
    pub fn function<A: Arguments + 'static, R: Returned + 'static>(function: fn(A) -> R) -> Self {
        let called =
            Arc::new(move |_: Option<NativeCallContext<'_>>, values: &mut [&mut Dynamic]| {
                function(A::take(values).ok_or(OTHER_VALUES)?).evaluated()
            });
        Native::alone(called, false, A::types(), R::NAME)
    }

    /// A function that is called by its name alone, and knows where in the script.
    pub fn function_in_context<A: Arguments + 'static, R: Returned + 'static>(
        function: fn(&NativeCallContext<'_>, A) -> R,
    ) -> Self {
        let called =
            Arc::new(move |context: Option<NativeCallContext<'_>>, values: &mut [&mut Dynamic]| {
                let context = context.ok_or("no context is known")?;
                function(&context, A::take(values).ok_or(OTHER_VALUES)?).evaluated()
            });
        Native::alone(called, true, A::types(), R::NAME)
    }

    fn alone(
        called: Arc<Called>,
        has_context: bool,
        parameters: Vec<Type>,
        returns: &'static str,
    ) -> Self {
        let function =
            RhaiFunc::Pure { func: called, has_context, is_pure: true, is_volatile: false };
        Native { function, parameters, returns }
    }
}

/// Rhai looks a function up by the types of its values, so it is never said.
const OTHER_VALUES: &str = "the function was called with values of other types";

fn with_receiver<T: ScriptType, A: Arguments, R: Returned>(
    values: &mut [&mut Dynamic],
    function: impl FnOnce(&mut T, A) -> R,
) -> Evaluated<Dynamic> {
    let (receiver, rest) = values.split_first_mut().ok_or(OTHER_VALUES)?;
    let arguments = A::take(rest).ok_or(OTHER_VALUES)?;
    let mut receiver = borrow::<T>(receiver)?;
    function(&mut receiver, arguments).evaluated()
}
