//! What differs between the revisions for a client, as a table of facts about
//! [`Revision`]. Each names the page of the specification that says so.

use crate::mcp::Revision;
use crate::mcp::json_rpc::{INVALID_PARAMS, METHOD_NOT_FOUND};

impl Revision {
    /// `MCP-Protocol-Version` stands on everything after the handshake
    /// (basic/transports, "Protocol Version Header").
    pub fn sends_version_header(self) -> bool {
        self >= Revision::V2025_06_18
    }

    /// Several messages may come in one array (basic, "Batching").
    pub fn receives_batches(self) -> bool {
        self < Revision::V2025_06_18
    }

    /// A broken stream is resumed with GET and `Last-Event-ID`
    /// (basic/transports, "Sending Messages to the Server").
    pub fn resumes_streams(self) -> bool {
        self == Revision::V2025_11_25
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

    /// The code that refuses `elicitation/create` when elicitation was not
    /// declared (client/elicitation, "Error Handling").
    pub(crate) fn undeclared_elicitation_code(self) -> i64 {
        if self >= Revision::V2025_11_25 { INVALID_PARAMS } else { METHOD_NOT_FOUND }
    }
}
