//! What scripts can do with what is [`Absent`], and with nothing, `()`.

use rhai::{Array, Dynamic, FnPtr, Map};

use super::api::{Api, Replacements, Text};
use super::value::{Absent, List};

/// What `type_of` is called once a script is read: Rhai's own would name a type
/// for what is absent, and a comparison with it would decide something.
pub(super) const KIND: &str = "kind_of";

/// Declares what is absent, and nothing.
pub(super) fn declare(api: &mut Api) {
    api.module.set_iterable::<Absent>();
    api.methods::<Absent>(
        "absent",
        "absent",
        "What never happened. Whatever is done with it comes to `absent` too: a property, a \
         method, a comparison, a sum, `type_of`. A checkpoint that is decided on it is not \
         exercised; so is one that was being decided, or would have been later, when `if`, \
         `&&` or `||` came to it and could not go on.",
    )
    .doc("Every property and every item of what is absent is absent too.")
    .index("[name: string] -> absent", |_, _: Text| Absent)
    .index("[index: integer] -> absent", |_, _: i64| Absent)
    .doc("The word `absent`.")
    .function("to_string() -> string", |_, ()| "absent");
    api.functions("what is known", "The one question whose answer is never `absent`.")
        .doc("Whether the value is there, and not absent.")
        .function("known(value: any) -> bool", |value: Dynamic| !value.is::<Absent>());
    api.methods::<()>(
        "nothing",
        "nothing",
        "`()`, which is JSON's null and every member that is left out. A property of nothing \
         is nothing, so a subject that leaves something out fails a check and does not break \
         it.",
    )
    .doc("Every property and every item of nothing is nothing.")
    .index("[name: string] -> ()", |(), _: Text| ())
    .index("[index: integer] -> ()", |(), _: i64| ())
    .doc("A list with nothing in it.")
    .function("filter(holds: function) -> List", |(), _: FnPtr| List::default())
    .function("map(change: function) -> List", |(), _: FnPtr| List::default())
    .doc("Always false, since there is nothing to hold.")
    .function("any(holds: function) -> bool", |(), _: FnPtr| false)
    .function("all(holds: function) -> bool", |(), _: FnPtr| false)
    .doc("Nothing contains nothing: false.")
    .function("contains(value: any) -> bool", |(), _: Dynamic| false)
    .doc("Always false.")
    .function("starts_with(text: string) -> bool", |(), _: Text| false)
    .doc("Always false.")
    .function("ends_with(text: string) -> bool", |(), _: Text| false)
    .doc("Nothing again.")
    .function("to_lower()", |(), ()| ())
    .function("to_upper()", |(), ()| ())
    .doc("Always 0 long.")
    .property("len: integer", |()| 0_i64)
    .function("len() -> integer", |(), ()| 0_i64);
    replace(&mut api.replacements());
}

/// Rhai has answers of its own for values of two types, and for what an array or a
/// map holds; for every other operation on what is absent see [`missing`].
fn replace(replacements: &mut Replacements<'_>) {
    for comparison in ["==", "!=", "<", "<=", ">", ">="] {
        replacements
            .function(comparison, |_: (Absent, Dynamic)| Absent)
            .function(comparison, |_: (Dynamic, Absent)| Absent)
            .function(comparison, |_: (Absent, Absent)| Absent);
    }
    for search in ["contains", "index_of", "starts_with", "ends_with"] {
        replacements.function(search, |_: (Dynamic, Absent)| Absent);
    }
    replacements
        .method("contains", |_: &mut Array, _: Absent| Absent)
        .method("contains", |_: &mut List, _: Absent| Absent)
        .method("contains", |_: &mut Map, _: Absent| Absent)
        .method("index_of", |_: &mut Array, _: Absent| Absent)
        .method("to_debug", |_: &mut Absent, ()| "absent")
        .function_in_context(KIND, |context, value: Dynamic| -> Dynamic {
            if value.is::<Absent>() {
                return value;
            }
            context.engine().map_type_name(value.type_name()).to_owned().into()
        });
}

/// Nothing is in what is not there.
impl IntoIterator for Absent {
    type Item = Dynamic;
    type IntoIter = std::iter::Empty<Dynamic>;

    fn into_iter(self) -> Self::IntoIter {
        std::iter::empty()
    }
}

/// What an operation comes to that Rhai does not know, if one of its operands is
/// absent: nothing is decided by what never happened, so it is absent as well.
pub(super) fn missing(arguments: &[&mut Dynamic]) -> Option<Dynamic> {
    arguments.iter().any(|argument| argument.is::<Absent>()).then(|| Dynamic::from(Absent))
}
