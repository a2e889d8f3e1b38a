//! The keys of `_meta` that the protocol itself reserves (2026-07-28, basic,
//! "General fields").

/// The protocol version of a request.
pub const PROTOCOL_VERSION: &str = "io.modelcontextprotocol/protocolVersion";
/// Name and version of the client.
pub const CLIENT_INFO: &str = "io.modelcontextprotocol/clientInfo";
/// What the client offers for this request.
pub const CLIENT_CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";
/// The least level of what the server logs about this request.
pub const LOG_LEVEL: &str = "io.modelcontextprotocol/logLevel";
/// The extension for tasks, among the capabilities' `extensions`.
pub const TASKS: &str = "io.modelcontextprotocol/tasks";
/// The id of the request that opened the subscription, in each notification that
/// it brings.
pub const SUBSCRIPTION_ID: &str = "io.modelcontextprotocol/subscriptionId";
/// Name and version of the server, in a result.
pub const SERVER_INFO: &str = "io.modelcontextprotocol/serverInfo";
