"""An MCP client on the official Python SDK, which alone speaks to the server.

It looks up the task of its scenario and leaves the rest to the SDK, but for one
thing that the SDK leaves to its user: when a task of 2026-07-28 is asked for.

    MCP_CONFORMANCE_SCENARIO          which task; a task not known is `list_and_replay`
    MCP_CONFORMANCE_PROTOCOL_VERSION  2026-07-28 is negotiated by `server/discover`,
                                      every earlier revision by `initialize`
    MCP_CONFORMANCE_CONTEXT           JSON; `toolCalls` are made as they stand there,
                                      `elicitation`, `sampling` and `roots` are answered
    the last argument                 the URL of the server
"""

import asyncio
import json
import os
import re
import sys
from typing import Literal
from urllib.parse import urlencode
from urllib.request import urlopen

from mcp import Client
from mcp.client.extension import ClientExtension, ResultClaim
from mcp.types import (
    CallToolResult,
    CreateMessageResult,
    ElicitResult,
    EmptyResult,
    ErrorData,
    Implementation,
    ListRootsResult,
    Request,
    Result,
)
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

SCENARIO = os.environ.get("MCP_CONFORMANCE_SCENARIO", "")
WANTED = os.environ.get("MCP_CONFORMANCE_PROTOCOL_VERSION", "2025-11-25")
CONTEXT = json.loads(os.environ.get("MCP_CONFORMANCE_CONTEXT") or "{}")

ROOTS = CONTEXT.get("roots", [])
SHOWN = asyncio.Queue()
HEARD = []
ARRIVED = asyncio.Event()

# What a person would type into a form, by the name of the field.
ANSWERS = {
    "attendees": 6,
    "catering": "coffee",
    "confirmed": True,
    "name": "octocat",
    "org": "acme",
    "region": "eu-west",
    "email": "ops@example.com",
}


def text(result):
    return next((block.text for block in result.content if block.type == "text"), None)


async def all_pages(fetch, field):
    """Every item of a list; the SDK fetches one page at a time."""
    items, cursor = [], None
    for _ in range(100):
        page = await fetch(cursor=cursor)
        items += getattr(page, field)
        cursor = page.next_cursor
        if cursor is None:
            return items
    raise RuntimeError(f"the list of {field} had no end after 100 pages")


async def tell(client, name, value):
    """Calls a tool that takes one argument, whatever that argument is called."""
    tools = await all_pages(client.list_tools, "tools")
    schema = next(tool.input_schema for tool in tools if tool.name == name)
    return await client.call_tool(name, {next(iter(schema["properties"])): value})


def tell_each(name, *values):
    async def task(client):
        for value in values:
            await tell(client, name, value)

    return task


def calls(*steps, list_first=False):
    """A task that calls tools one after the other: (name, arguments)."""

    async def task(client):
        if list_first:
            await client.list_tools()
        for name, arguments in steps:
            await client.call_tool(name, arguments)

    return task


async def list_and_replay(client):
    await all_pages(client.list_tools, "tools")
    for call in CONTEXT.get("toolCalls", []):
        await client.call_tool(call["name"], call["arguments"])


async def step_until_done(client):
    for _ in range(100):
        if text(await client.call_tool("next_step", {})) == "done":
            return
    raise RuntimeError("next_step was called 100 times and never said done")


async def slow_word(client):
    await tell(client, "report_word", text(await client.call_tool("slow_word", {})))


async def say_word(client):
    """Hands on what a tool says."""
    await client.call_tool("say", {"text": text(await client.call_tool("word", {}))})


async def stalled_tool(client):
    try:
        await client.call_tool("process_data", {}, read_timeout_seconds=2)
    except Exception:
        pass  # It never answers; the task is to go on.
    await client.call_tool("get_status", {})


async def read_named(client, name):
    """Reads the resource of a name, which is looked up in the list."""
    resources = await all_pages(client.list_resources, "resources")
    found = next(item for item in resources if name in (item.name, item.title))
    return (await client.read_resource(found.uri)).contents[0].text


async def read_runbook(client):
    await tell(client, "report", await read_named(client, "Deployment Runbook"))


async def get_prompt(client):
    await client.list_prompts()
    prompt = await client.get_prompt("release_notes", {"version": "2.4.1"})
    await tell(client, "report", prompt.messages[0].content.text)


async def request_certificate(client):
    info = await client.call_tool("get_ca_info", {})
    wanted = {"ca": info.content[0].text, "domain": "demo.example.com"}
    await client.call_tool("request_certificate", wanted)
    await client.call_tool("get_ca_info", {})


async def enter_code():
    """Does what a browser does with the page behind a URL: enters the code that is on it."""
    page = await SHOWN.get()
    code = re.search(r"The code is ([\w-]+)", await asyncio.to_thread(fetch, page))[1]
    await asyncio.to_thread(fetch, page, urlencode({"code": code}).encode())


async def link_account(client):
    await client.call_tool("link_account", {})
    await enter_code()


async def link_meanwhile(client):
    """The call goes on while the user is in the browser."""
    await asyncio.gather(client.call_tool("link_account", {}), enter_code())


async def unlock_vault(client):
    await tell(client, "unlock_vault", client.instructions.split(": ")[1])


async def translate(client):
    words = json.loads(await read_named(client, "config"))
    await client.list_tools()
    await client.call_tool("traducteur-météo", words)
    await client.get_prompt("greeting")


async def query_everywhere(client):
    """A user who does not know better tries every tool that is listed."""
    for tool in await all_pages(client.list_tools, "tools"):
        arguments = {"query": "SELECT 1", "region": "us-west1", "comment": "été 2026"}
        await client.call_tool(tool.name, arguments)


def fetch(url, form=None):
    with urlopen(url, form, timeout=10) as response:
        return response.read().decode()


async def report_announced(client):
    await tell(client, "report_word", (await heard("notifications/message")).params.data)


async def listen_until_heard(client):
    await heard("notifications/message")
    await list_and_replay(client)


async def read_when_changed(client):
    uri = "memo://greeting"
    await client.subscribe_resource(uri)
    await client.read_resource((await heard("notifications/resources/updated")).params.uri)
    await client.unsubscribe_resource(uri)


async def survey_twice(client):
    await client.call_tool("survey", {})
    ROOTS.pop(0)
    await client.send_roots_list_changed()
    await client.call_tool("survey", {})


async def dig_twice(client):
    async def ignore(*_):
        pass

    digs = [client.call_tool("dig", {"depth": depth}, progress_callback=ignore) for depth in (1, 2)]
    await asyncio.gather(*digs)


async def publish_report(client):
    prompt = await client.get_prompt("release_report")
    changelog = json.loads((await client.read_resource("docs://changelog")).contents[0].text)
    form = re.search(r"VERSION\S+FEATURES", prompt.messages[0].content.text)[0]
    for name in ("version", "fixes", "features"):
        form = form.replace(name.upper(), str(changelog[name]))
    await tell(client, "publish_report", form)


async def publish_summary(client):
    await client.list_prompts()
    await client.get_prompt("release_report")
    changelog = json.loads(await read_named(client, "Changelog"))
    await tell(client, "publish_report", f"{changelog['version']}:{changelog['changes']}")


ADD = calls(("add", {"a": 17, "b": 25}))
ECHO_TWICE = calls(("echo", {"message": "alpha"}), ("echo", {"message": "bravo"}))

TASKS = {
    "client/initialize-handshake": list_and_replay,
    "client/tool-call-basic": ADD,
    "client/stateless-tool-call": ADD,
    "client/session-echo": ECHO_TWICE,
    "client/session-recovery": tell_each("fetch_record", "r-100", "r-200"),
    "client/protocol-version-header": tell_each("lookup", "idempotent"),
    "client/no-batching": calls(*(("square", {"n": n}) for n in (4, 7, 12))),
    "client/sse-response": slow_word,
    "client/stateless-sse-response": slow_word,
    "client/drop-stream-mid-call": calls(("generate_report", {})),
    "client/stalled-tool": stalled_tool,
    "client/resources-read": read_runbook,
    "client/stateless-resources": read_runbook,
    "client/prompts-get": get_prompt,
    "client/stateless-prompts": get_prompt,
    "client/composite": publish_report,
    "client/stateless-composite": publish_summary,
    "client/discover-instructions": unlock_vault,
    "client/header-mirroring": translate,
    "client/param-headers": query_everywhere,
    "client/mrtr-elicit-url": link_meanwhile,
    "client/elicit-url": link_account,
    "client/get-stream": report_announced,
    "stream/listen": listen_until_heard,
    "resources/subscribe": read_when_changed,
    "roots/list": survey_twice,
    "utilities/progress": dig_twice,
    "client/elicit-form": tell_each("book_meeting_room", "Aurora"),
    "client/mrtr-basic": tell_each("create_deploy_key", "mcpbench/demo"),
    "client/mrtr-multi-round": tell_each("provision_account", "team"),
    "client/mrtr-no-state": request_certificate,
    "connection/handshake": list_and_replay,
    "connection/session": ECHO_TWICE,
    "say-word": say_word,
    "tools/multi-step": step_until_done,
    "tools/pages": list_and_replay,
    "tools/event-stream": calls(("slow_word", {})),
    # The names of the official conformance suite.
    "tools_call": calls(("add_numbers", {"a": 5, "b": 3}), list_first=True),
    "sse-retry": calls(("test_reconnection", {}), list_first=True),
    "elicitation-sep1034-client-defaults": calls(("test_client_elicitation_defaults", {}), list_first=True),
}


async def ask_user(_context, params):
    """Decides as the context says; a form is filled in with what the context says, its
    defaults, or what a person would type."""
    said = CONTEXT.get("elicitation", {})
    action = said.get("action", "accept")
    if params.mode == "url":
        SHOWN.put_nowait(params.url)
    if action != "accept" or params.mode == "url":
        return ElicitResult(action=action)
    content = {}
    for field, schema in params.requested_schema.get("properties", {}).items():
        usual = schema.get("default", ANSWERS.get(field))
        answer = said.get("content", {}).get(field, usual)
        if answer is not None:
            content[field] = answer
    return ElicitResult(action="accept", content=content)


class GetTask(Request[dict, Literal["tasks/get"]]):
    name_param = "taskId"


class CancelTask(Request[dict, Literal["tasks/cancel"]]):
    name_param = "taskId"


class Task(Result):
    """What a call became, and what `tasks/get` says of it."""

    model_config = {"extra": "allow"}
    result_type: Literal["task"] = "task"
    task_id: str
    status: str
    poll_interval_ms: int = 500


class TaskState(Task):
    result_type: str = "complete"
    result: CallToolResult | None = None


async def see_task_through(task, context):
    """Asks for a task, as often as it allows, until it ends or the user has had enough."""
    params = {"taskId": task.task_id}
    while task.status == "working":
        await asyncio.sleep(task.poll_interval_ms / 1000)
        task = await context.session.send_request(GetTask(method="tasks/get", params=params), TaskState)
        if SCENARIO == "client/task-cancel":
            await context.session.send_request(CancelTask(method="tasks/cancel", params=params), EmptyResult)
            return CallToolResult(content=[], is_error=True)
    return task.result


class Tasks(ClientExtension):
    """The extension for tasks, which the SDK leaves to its user to write."""

    identifier = "io.modelcontextprotocol/tasks"

    def claims(self):
        return [ResultClaim(result_type="task", model=Task, resolve=see_task_through)]


async def write_message(_context, _params):
    if CONTEXT["sampling"].get("rejected"):
        return ErrorData(code=-1, message="User rejected sampling request")
    return CreateMessageResult.model_validate(CONTEXT["sampling"])


async def list_roots(_context):
    return ListRootsResult.model_validate({"roots": ROOTS[0]})


async def hear(message):
    """Keeps each notification, and wakes whoever waits for it."""
    HEARD.append(message)
    ARRIVED.set()


async def heard(method):
    """The first notification of a method, once it came; without a stream none does."""
    async with asyncio.timeout(10):
        while True:
            for message in HEARD:
                if getattr(message, "method", None) == method:
                    return message
            ARRIVED.clear()
            await ARRIVED.wait()


async def main():
    asks_for_input = "elicitation" in CONTEXT or re.search("elicit|mrtr", SCENARIO)
    async with Client(
        sys.argv[-1],
        mode="auto" if WANTED in MODERN_PROTOCOL_VERSIONS else "legacy",
        client_info=Implementation(name="mcp-checks-python", version="1.0.0"),
        elicitation_callback=ask_user if asks_for_input else None,
        sampling_callback=write_message if "sampling" in CONTEXT else None,
        list_roots_callback=list_roots if ROOTS else None,
        extensions=[Tasks()] if SCENARIO.startswith("client/task-") else None,
        message_handler=hear,
        read_timeout_seconds=60,
    ) as client:
        await TASKS.get(SCENARIO, list_and_replay)(client)


def innermost(error):
    """The first cause inside the groups that the SDK's tasks put errors in."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error


if __name__ == "__main__":
    try:
        asyncio.run(main())
    except Exception as error:
        sys.exit(f"{SCENARIO or 'list'}: {innermost(error)}")
