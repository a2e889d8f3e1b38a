#!/bin/sh
# The smallest MCP client: three requests with curl. It calls the tool `add` with
# a = 17 and b = 25 and prints the answer, JSON or event stream as it came.
#
#   MCP_CONFORMANCE_PROTOCOL_VERSION  the revision to ask for, up to 2025-11-25
#   the last argument                 the URL of the server
#
# The exit code is 0 if every request was accepted.
set -eu

for url; do :; done
revision=${MCP_CONFORMANCE_PROTOCOL_VERSION:-2025-11-25}
received=$(mktemp -d)
trap 'rm -rf "$received"' EXIT

# Sends one message; further arguments are options of curl.
post() {
  message=$1
  shift
  curl --fail-with-body --silent --show-error --max-time 30 --noproxy '*' \
    --dump-header "$received/headers" --output "$received/body" \
    --header 'Content-Type: application/json' \
    --header 'Accept: application/json, text/event-stream' \
    "$@" --data "$message" "$url"
}

post '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"'"$revision"'","capabilities":{},"clientInfo":{"name":"mcp-checks-curl","version":"1.0.0"}}}'

# From here on: the revision that the server chose, and its session if it issued one.
negotiated=$(sed -n 's/.*"protocolVersion" *: *"\([^"]*\)".*/\1/p' "$received/body" | head -n 1)
session=$(tr -d '\r' <"$received/headers" | sed -n 's/^[Mm][Cc][Pp]-[Ss][Ee][Ss][Ss][Ii][Oo][Nn]-[Ii][Dd]: *//p' | tail -n 1)
set -- --header "MCP-Protocol-Version: ${negotiated:-$revision}"
if [ -n "$session" ]; then
  set -- "$@" --header "Mcp-Session-Id: $session"
fi

post '{"jsonrpc":"2.0","method":"notifications/initialized"}' "$@"
post '{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"add","arguments":{"a":17,"b":25}}}' "$@"
cat "$received/body"
