//! The operations of the client, as scripts call them: [`OPERATIONS`]. Each is a
//! function of `client`; `begin` and `step` take them by their names.

use rhai::Dynamic;
use serde_json::Value;

use super::Client;
use crate::check::nearest::nearest;
use crate::mcp::client::Operation;
use crate::script::action::json_value;
use crate::script::api::{Evaluated, Methods, Signature};
use crate::script::types::{a, type_word};

/// An operation, and how a script calls it.
pub(super) struct Named {
    /// What it does.
    sentence: &'static str,
    /// How it is called, with the fewest arguments first.
    signatures: &'static [&'static str],
    /// Makes it of the arguments that a script gave.
    make: fn(&Given<'_>) -> Evaluated<Operation>,
}

/// Every operation.
pub(super) const OPERATIONS: &[Named] = &[
    Named {
        sentence: "Lists all tools, page by page.",
        signatures: &["list_tools() -> Answer"],
        make: |_| Ok(Operation::ListTools),
    },
    Named {
        sentence: "Calls a tool.",
        signatures: &[
            "call_tool(name: string) -> Answer",
            "call_tool(name: string, arguments: map) -> Answer",
        ],
        make: |given| Ok(Operation::CallTool { name: given.text(0)?, arguments: given.value(1)? }),
    },
    Named {
        sentence: "Lists all resources, page by page.",
        signatures: &["list_resources() -> Answer"],
        make: |_| Ok(Operation::ListResources),
    },
    Named {
        sentence: "Lists all templates of resources, page by page.",
        signatures: &["list_resource_templates() -> Answer"],
        make: |_| Ok(Operation::ListResourceTemplates),
    },
    Named {
        sentence: "Reads a resource.",
        signatures: &["read_resource(uri: string) -> Answer"],
        make: |given| Ok(Operation::ReadResource { uri: given.text(0)? }),
    },
    Named {
        sentence: "Asks to be told of the changes of a resource.",
        signatures: &["subscribe_resource(uri: string) -> Answer"],
        make: |given| Ok(Operation::SubscribeResource { uri: given.text(0)? }),
    },
    Named {
        sentence: "Asks not to be told of them any more.",
        signatures: &["unsubscribe_resource(uri: string) -> Answer"],
        make: |given| Ok(Operation::UnsubscribeResource { uri: given.text(0)? }),
    },
    Named {
        sentence: "Lists all prompts, page by page.",
        signatures: &["list_prompts() -> Answer"],
        make: |_| Ok(Operation::ListPrompts),
    },
    Named {
        sentence: "Gets a prompt.",
        signatures: &[
            "get_prompt(name: string) -> Answer",
            "get_prompt(name: string, arguments: map) -> Answer",
        ],
        make: |given| Ok(Operation::GetPrompt { name: given.text(0)?, arguments: given.value(1)? }),
    },
    Named {
        sentence: "Asks for completions of an argument.",
        signatures: &[
            "complete(reference: map, argument: map) -> Answer",
            "complete(reference: map, argument: map, context: map) -> Answer",
        ],
        make: |given| {
            let (reference, argument) = (given.required(0)?, given.required(1)?);
            Ok(Operation::Complete { reference, argument, context: given.value(2)? })
        },
    },
    Named {
        sentence: "Sets the level of log messages; from 2026-07-28 on each later request carries \
                   it.",
        signatures: &["set_logging_level(level: string) -> Answer"],
        make: |given| Ok(Operation::SetLoggingLevel { level: given.text(0)? }),
    },
    Named {
        sentence: "Pings the server, up to 2025-11-25.",
        signatures: &["ping() -> Answer"],
        make: |_| Ok(Operation::Ping),
    },
    Named {
        sentence: "Asks the server what it is, by `server/discover`, from 2026-07-28 on.",
        signatures: &["discover() -> Answer"],
        make: |_| Ok(Operation::Discover),
    },
    Named {
        sentence: "Asks for the state of a task.",
        signatures: &["get_task(id: string) -> Answer"],
        make: |given| Ok(Operation::GetTask { id: given.text(0)? }),
    },
    Named {
        sentence: "Gives a task what it asks for, each answer under its key.",
        signatures: &["update_task(id: string, responses: map) -> Answer"],
        make: |given| {
            Ok(Operation::UpdateTask { id: given.text(0)?, responses: given.required(1)? })
        },
    },
    Named {
        sentence: "Asks the server to cancel a task.",
        signatures: &["cancel_task(id: string) -> Answer"],
        make: |given| Ok(Operation::CancelTask { id: given.text(0)? }),
    },
];

/// The arguments that a script gave to the operation of this name.
struct Given<'a> {
    name: &'static str,
    arguments: &'a [Dynamic],
}

impl Given<'_> {
    fn text(&self, index: usize) -> Evaluated<String> {
        let argument = self.arguments.get(index).cloned().unwrap_or_default();
        argument.into_string().map_err(|found| {
            let (place, found) = (index + 1, a(&type_word(found)));
            format!("argument {place} of {} is a string, not {found}", self.name).into()
        })
    }

    fn value(&self, index: usize) -> Evaluated<Option<Value>> {
        self.arguments.get(index).filter(|value| !value.is_unit()).map(json_value).transpose()
    }

    fn required(&self, index: usize) -> Evaluated<Value> {
        self.value(index)?.ok_or_else(|| format!("{} takes more arguments", self.name).into())
    }
}

impl Named {
    fn name(&self) -> &'static str {
        let first = self.signatures.first().and_then(|signature| signature.split('(').next());
        first.unwrap_or_default()
    }

    /// How many arguments each way of calling it takes.
    fn counts(&self) -> impl Iterator<Item = (&'static str, usize)> {
        self.signatures.iter().map(|signature| match Signature::parse(signature) {
            Some(Signature::Function { parameters, .. }) => (*signature, parameters.len()),
            _ => (*signature, 0),
        })
    }

    /// The operation with these arguments.
    fn with(&self, arguments: &[Dynamic]) -> Evaluated<Operation> {
        let operation = (self.make)(&Given { name: self.name(), arguments })?;
        let most = self.counts().map(|(_, count)| count).max().unwrap_or_default();
        if arguments.len() > most {
            return Err(format!("{} takes at most {most} arguments", self.name()).into());
        }
        Ok(operation)
    }

    /// Declares it as a function of `client`.
    pub(super) fn declare(&'static self, client: &mut Methods<'_, Client>) {
        client.doc(self.sentence);
        for (signature, count) in self.counts() {
            client.function_of_many(signature, count, |client, arguments| {
                client.perform(self.with(&arguments)?)
            });
        }
    }
}

/// The operation of this name, with the arguments that a script gave it.
///
/// # Errors
/// There is no such operation, or it takes other arguments.
pub(super) fn operation(name: &str, arguments: &[Dynamic]) -> Evaluated<Operation> {
    if let Some(named) = OPERATIONS.iter().find(|operation| operation.name() == name) {
        return named.with(arguments);
    }
    let near = nearest(name, OPERATIONS.iter().map(Named::name));
    let hint = near.first().map(|near| format!("; did you mean `{near}`?"));
    Err(format!("there is no operation `{name}`{}", hint.unwrap_or_default()).into())
}
