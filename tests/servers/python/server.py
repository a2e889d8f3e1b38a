"""A few tools on the official Python SDK, for the operator's commands to call.

The wire is the SDK's own. The only argument is the port, on 127.0.0.1.
"""

import asyncio
import sys

from mcp.server.mcpserver import MCPServer

server = MCPServer("tools-in-python", version="1.0.0")


@server.tool()
def add(a: int, b: int) -> int:
    """Adds two numbers."""
    return a + b


@server.tool()
def fail(reason: str) -> str:
    """Fails for the reason that is given."""
    raise ValueError(reason)


@server.tool()
async def wait(seconds: float) -> str:
    """Answers after some seconds."""
    await asyncio.sleep(seconds)
    return "waited"


@server.tool()
def many(count: int) -> list[str]:
    """Answers in as many blocks as asked for."""
    return [f"block {number}" for number in range(count)]


if __name__ == "__main__":
    server.run("streamable-http", port=int(sys.argv[1]))
