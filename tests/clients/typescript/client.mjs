// An MCP client on the official TypeScript SDK, with no behaviour of its own on
// the wire: it looks up the task of its scenario and leaves the rest to the SDK.
//
//   MCP_CONFORMANCE_SCENARIO          which task; a task not known is `list`
//   MCP_CONFORMANCE_PROTOCOL_VERSION  the revision to ask for
//   MCP_CONFORMANCE_CONTEXT           JSON; `toolCalls` are made as they stand there
//   the last argument                 the URL of the server

import { Client, StreamableHTTPClientTransport, SUPPORTED_PROTOCOL_VERSIONS } from '@modelcontextprotocol/client';

const url = new URL(process.argv.at(-1));
const scenario = process.env.MCP_CONFORMANCE_SCENARIO ?? '';
const wanted = process.env.MCP_CONFORMANCE_PROTOCOL_VERSION ?? SUPPORTED_PROTOCOL_VERSIONS[0];
const context = JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? '{}');

// What a person would type into a form, by the name of the field.
const ANSWERS = { attendees: 6, catering: 'coffee', confirmed: true, name: 'octocat', org: 'acme', region: 'eu-west', email: 'ops@example.com' };

const text = (result) => result.content.find((block) => block.type === 'text')?.text;
const call = (client, name, args = {}, options = {}) => client.callTool({ name, arguments: args }, options);

/** Calls a tool that takes one argument, whatever that argument is called. */
async function tell(client, name, value) {
  const { tools } = await client.listTools();
  const properties = tools.find((tool) => tool.name === name)?.inputSchema.properties ?? {};
  return call(client, name, { [Object.keys(properties)[0]]: value });
}

async function list(client) {
  const { tools } = await client.listTools();
  for (const { name, arguments: args } of context.toolCalls ?? []) await call(client, name, args);
  return tools;
}

async function add(client) {
  await call(client, 'add', { a: 17, b: 25 });
}

async function echoTwice(client) {
  await call(client, 'echo', { message: 'alpha' });
  await call(client, 'echo', { message: 'bravo' });
}

async function stepUntilDone(client) {
  for (let step = 0; step < 100; step += 1) {
    if (text(await call(client, 'next_step')) === 'done') return;
  }
  throw new Error('next_step was called 100 times and never said done');
}

async function slowWord(client) {
  await tell(client, 'report_word', text(await call(client, 'slow_word')));
}

async function stalledTool(client) {
  await call(client, 'process_data', {}, { timeout: 2000 }).catch(() => {});
  await call(client, 'get_status');
}

async function readRunbook(client) {
  const { resources } = await client.listResources();
  const runbook = resources.find(({ name, title }) => [name, title].includes('Deployment Runbook'));
  const { contents } = await client.readResource({ uri: runbook.uri });
  await tell(client, 'report', contents[0].text);
}

async function getPrompt(client) {
  await client.listPrompts();
  const { messages } = await client.getPrompt({ name: 'release_notes', arguments: { version: '2.4.1' } });
  await tell(client, 'report', messages[0].content.text);
}

const TASKS = {
  'client/initialize-handshake': list,
  'client/tool-call-basic': add,
  'client/stateless-tool-call': add,
  'client/session-echo': echoTwice,
  'client/session-recovery': async (client) => {
    await tell(client, 'fetch_record', 'r-100');
    await tell(client, 'fetch_record', 'r-200');
  },
  'client/protocol-version-header': (client) => tell(client, 'lookup', 'idempotent'),
  'client/no-batching': async (client) => {
    for (const n of [4, 7, 12]) await call(client, 'square', { n });
  },
  'client/sse-response': slowWord,
  'client/stateless-sse-response': slowWord,
  'client/drop-stream-mid-call': (client) => call(client, 'generate_report'),
  'client/stalled-tool': stalledTool,
  'client/resources-read': readRunbook,
  'client/stateless-resources': readRunbook,
  'client/prompts-get': getPrompt,
  'client/stateless-prompts': getPrompt,
  'client/elicit-form': (client) => tell(client, 'book_meeting_room', 'Aurora'),
  'client/mrtr-basic': (client) => tell(client, 'create_deploy_key', 'mcpbench/demo'),
  'client/mrtr-multi-round': (client) => tell(client, 'provision_account', 'team'),
  'client/mrtr-no-state': async (client) => {
    await call(client, 'get_ca_info');
    await tell(client, 'request_certificate', 'demo.example.com');
  },
  'connection/handshake': list,
  'connection/session': echoTwice,
  'tools/multi-step': stepUntilDone,
  'tools/pages': list, // the SDK walks all pages by itself
  'tools/event-stream': (client) => call(client, 'slow_word'),

  // The names of the official conformance suite.
  initialize: list,
  tools_call: async (client) => {
    await list(client);
    await call(client, 'add_numbers', { a: 5, b: 3 });
  },
  'sse-retry': async (client) => {
    await list(client);
    await call(client, 'test_reconnection');
  },
  'elicitation-sep1034-client-defaults': async (client) => {
    await list(client);
    await call(client, 'test_client_elicitation_defaults');
  },
};

/** Fills every field of a form: with its default, or with what a person would type. */
function fillForm({ params }) {
  const content = {};
  for (const [field, schema] of Object.entries(params.requestedSchema?.properties ?? {})) {
    const answer = schema.default ?? ANSWERS[field];
    if (answer !== undefined) content[field] = answer;
  }
  return { action: 'accept', content };
}

const asksForInput = /elicit|mrtr/.test(scenario);
const client = new Client(
  { name: 'mcp-checks-typescript', version: '1.0.0' },
  {
    capabilities: asksForInput ? { elicitation: { form: {} } } : {},
    // A revision that SUPPORTED_PROTOCOL_VERSIONS lists is negotiated by
    // `initialize`, which offers the first entry; a later one by `server/discover`.
    ...(SUPPORTED_PROTOCOL_VERSIONS.includes(wanted)
      ? { supportedProtocolVersions: [wanted, ...SUPPORTED_PROTOCOL_VERSIONS.filter((version) => version !== wanted)] }
      : { versionNegotiation: { mode: 'auto' } }),
  },
);
if (asksForInput) client.setRequestHandler('elicitation/create', fillForm);

const transport = new StreamableHTTPClientTransport(url);
try {
  await client.connect(transport);
  await (TASKS[scenario] ?? list)(client);
  await transport.terminateSession();
} catch (error) {
  console.error(`${scenario || 'list'}: ${error.message}`);
  process.exitCode = 1;
} finally {
  await client.close();
}
