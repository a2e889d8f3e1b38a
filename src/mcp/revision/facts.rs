//! What differs between the revisions, as a table of facts about [`Revision`].
//! Each names the page of the specification that says so.

use crate::mcp::Revision;
use crate::mcp::json_rpc::{INVALID_PARAMS, METHOD_NOT_FOUND};

impl Revision {
    /// A connection begins with `initialize` (basic/lifecycle), rather than carrying
    /// its state in each request (from 2026-07-28 on: basic, "Statelessness").
    pub fn has_handshake(self) -> bool {
        self < Revision::V2026_07_28
    }

    /// `MCP-Protocol-Version` stands on everything after the handshake
    /// (basic/transports, "Protocol Version Header").
    pub fn has_version_header(self) -> bool {
        self >= Revision::V2025_06_18
    }

    /// Several messages may come in one array (basic, "Batching").
    pub fn has_batches(self) -> bool {
        self < Revision::V2025_06_18
    }

    /// A broken stream is resumed with GET and `Last-Event-ID`
    /// (basic/transports, "Sending Messages to the Server").
    pub fn resumes_streams(self) -> bool {
        self == Revision::V2025_11_25
    }

    /// Each request carries the version, the client's capabilities and who it is
    /// in `_meta` (basic, "General fields").
    pub fn has_request_metadata(self) -> bool {
        self >= Revision::V2026_07_28
    }

    /// A request's method and the name of what it addresses stand in header
    /// fields too (basic/transports/streamable-http, "Request Metadata").
    pub fn mirrors_requests(self) -> bool {
        self >= Revision::V2026_07_28
    }

    /// Some results say how long they may be kept (server/utilities/caching).
    pub fn has_cache_hints(self) -> bool {
        self >= Revision::V2026_07_28
    }

    /// Codes from -32020 to -32099 belong to the protocol (basic, "Error Codes").
    pub fn has_error_codes(self) -> bool {
        self >= Revision::V2026_07_28
    }

    /// Arguments of a tool may stand in header fields as well, as the tool's
    /// schema says (basic/transports/streamable-http, "Custom Headers from Tool
    /// Parameters").
    pub fn mirrors_parameters(self) -> bool {
        self >= Revision::V2026_07_28
    }

    /// A result says of what type it is (basic, "ResultType").
    pub fn has_result_types(self) -> bool {
        self >= Revision::V2026_07_28
    }

    /// The server may send requests of its own, which are answered (basic,
    /// "Requests"; none from 2026-07-28 on: basic/transports/streamable-http,
    /// "Receiving Messages").
    pub fn answers_server_requests(self) -> bool {
        self < Revision::V2026_07_28
    }

    /// A client listens between requests by `subscriptions/listen`, and to what it
    /// names (basic/patterns/subscriptions), rather than by GET.
    pub fn subscribes(self) -> bool {
        self >= Revision::V2026_07_28
    }

    /// A request over HTTP is given up with a notification rather than by
    /// closing its response (basic/utilities/cancellation; from 2026-07-28 on
    /// basic/patterns/cancellation, "Transport-Specific Cancellation").
    pub fn cancels_by_notification(self) -> bool {
        self < Revision::V2026_07_28
    }

    /// `ping` exists (basic/utilities/ping).
    pub fn has_ping(self) -> bool {
        self < Revision::V2026_07_28
    }

    /// The level of the log is set once, by `logging/setLevel`, rather than
    /// named in each request (server/utilities/logging).
    pub fn sets_logging_level(self) -> bool {
        self < Revision::V2026_07_28
    }

    /// A request whose response stream broke off is lost, and asked anew under
    /// another id (changelog of 2026-07-28, "Major changes").
    pub fn reissues_lost_requests(self) -> bool {
        self >= Revision::V2026_07_28
    }

    /// `completion/complete` has a `context` (server/utilities/completion).
    pub fn has_completion_context(self) -> bool {
        self >= Revision::V2025_06_18
    }

    /// Protected-resource metadata name the authorization server
    /// (basic/authorization, "Authorization Server Location").
    pub fn has_protected_resource_metadata(self) -> bool {
        self >= Revision::V2025_06_18
    }

    /// Protected-resource metadata are looked for where no challenge names them
    /// (basic/authorization, "Protected Resource Metadata Discovery
    /// Requirements").
    pub fn probes_resource_metadata(self) -> bool {
        self >= Revision::V2025_11_25
    }

    /// OpenID Connect Discovery stands beside RFC 8414 (basic/authorization,
    /// "Authorization Server Metadata Discovery").
    pub fn discovers_openid_providers(self) -> bool {
        self >= Revision::V2025_11_25
    }

    /// The code that says that there is no such resource (server/resources,
    /// "Error Handling").
    pub(crate) fn resource_not_found(self) -> i64 {
        if self >= Revision::V2026_07_28 { INVALID_PARAMS } else { -32002 }
    }

    /// A client subscribes to a resource by a request of its own
    /// (server/resources, "Subscriptions").
    pub fn subscribes_by_request(self) -> bool {
        self < Revision::V2026_07_28
    }

    /// A client tells that its roots changed (client/roots, "Root List
    /// Changes").
    pub fn tells_of_roots(self) -> bool {
        self < Revision::V2026_07_28
    }

    /// Servers may ask the user (client/elicitation).
    pub fn has_elicitation(self) -> bool {
        self >= Revision::V2025_06_18
    }

    /// There are modes of elicitation, and one of them is a URL
    /// (client/elicitation, "URL Mode Elicitation Requests").
    pub fn has_url_elicitation(self) -> bool {
        self >= Revision::V2025_11_25
    }

    /// A URL comes with an `elicitationId`, by which its end is told
    /// (client/elicitation, "Completion Notifications for URL Mode
    /// Elicitation").
    pub fn identifies_elicitations(self) -> bool {
        self == Revision::V2025_11_25
    }

    /// Several choices can be made in a form (client/elicitation, "Requested
    /// Schema").
    pub fn has_elicitation_lists(self) -> bool {
        self >= Revision::V2025_11_25
    }

    /// Every property of a form can have a default, not booleans alone
    /// (client/elicitation, "Requested Schema").
    pub fn has_every_elicitation_default(self) -> bool {
        self >= Revision::V2025_11_25
    }

    /// A message that a server asks for can use tools (client/sampling,
    /// "Sampling with Tools").
    pub fn has_sampling_tools(self) -> bool {
        self >= Revision::V2025_11_25
    }

    /// The code that refuses `elicitation/create` when elicitation was not
    /// declared (client/elicitation, "Error Handling").
    pub(crate) fn undeclared_elicitation_code(self) -> i64 {
        if self >= Revision::V2025_11_25 { INVALID_PARAMS } else { METHOD_NOT_FOUND }
    }
}
