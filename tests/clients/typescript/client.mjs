// An MCP client on the official TypeScript SDK, with no behaviour of its own on
// the wire: it looks up the task of its scenario and leaves the rest to the SDK.
//
//   MCP_CONFORMANCE_SCENARIO          which task; a task not known is `list`
//   MCP_CONFORMANCE_PROTOCOL_VERSION  the revision to ask for
//   MCP_CONFORMANCE_CONTEXT           JSON; `toolCalls` are made as they stand there,
//                                     `elicitation`, `sampling` and `roots` are answered
//   the last argument                 the URL of the server

import { Client, ProtocolError, StreamableHTTPClientTransport, SUPPORTED_PROTOCOL_VERSIONS } from '@modelcontextprotocol/client';

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

/** Hands on what a tool says. */
async function sayWord(client) {
  await call(client, 'say', { text: text(await call(client, 'word')) });
}

async function stalledTool(client) {
  await call(client, 'process_data', {}, { timeout: 2000 }).catch(() => {});
  await call(client, 'get_status');
}

/** Reads the resource of a name, which is looked up in the list. */
async function readNamed(client, wanted) {
  const { resources } = await client.listResources();
  const { uri } = resources.find(({ name, title }) => [name, title].includes(wanted));
  return (await client.readResource({ uri })).contents[0].text;
}

async function readRunbook(client) {
  await tell(client, 'report', await readNamed(client, 'Deployment Runbook'));
}

async function getPrompt(client) {
  await client.listPrompts();
  const { messages } = await client.getPrompt({ name: 'release_notes', arguments: { version: '2.4.1' } });
  await tell(client, 'report', messages[0].content.text);
}

/** What a browser does with the page behind a URL: reads the code on it and enters it. */
async function enterCode(page) {
  const code = (await (await fetch(page)).text()).match(/The code is ([\w-]+)/)[1];
  await fetch(page, { method: 'POST', body: new URLSearchParams({ code }) });
}

async function linkAccount(client) {
  await call(client, 'link_account');
  await enterCode(await shown);
}

/** The call goes on while the user is in the browser. */
async function linkMeanwhile(client) {
  await Promise.all([call(client, 'link_account'), shown.then(enterCode)]);
}

async function unlockVault(client) {
  await tell(client, 'unlock_vault', client.getInstructions().split(': ')[1]);
}

async function translate(client) {
  const words = JSON.parse(await readNamed(client, 'config'));
  await client.listTools();
  await call(client, 'traducteur-météo', words);
  await client.getPrompt({ name: 'greeting' });
}

/** A user who does not know better tries every tool that is listed. */
async function queryEverywhere(client) {
  const { tools } = await client.listTools();
  for (const { name } of tools) await call(client, name, { query: 'SELECT 1', region: 'us-west1', comment: 'été 2026' });
}

async function reportAnnounced(client) {
  await tell(client, 'report_word', (await heard['notifications/message']).data);
}

async function listenUntilHeard(client) {
  await heard['notifications/message'];
  await list(client);
}

async function readWhenChanged(client) {
  const uri = 'memo://greeting';
  await client.subscribeResource({ uri });
  await client.readResource({ uri: (await heard['notifications/resources/updated']).uri });
  await client.unsubscribeResource({ uri });
}

async function surveyTwice(client) {
  await call(client, 'survey');
  roots.shift();
  await client.sendRootsListChanged();
  await call(client, 'survey');
}

async function digTwice(client) {
  const dig = (depth) => call(client, 'dig', { depth }, { onprogress: () => {} });
  await Promise.all([dig(1), dig(2)]);
}

async function publishReport(client) {
  const { messages } = await client.getPrompt({ name: 'release_report' });
  const { contents } = await client.readResource({ uri: 'docs://changelog' });
  const { version, fixes, features } = JSON.parse(contents[0].text);
  const form = messages[0].content.text.match(/VERSION\S+FEATURES/)[0];
  await tell(client, 'publish_report', form.replace('VERSION', version).replace('FIXES', fixes).replace('FEATURES', features));
}

async function publishSummary(client) {
  await client.listPrompts();
  await client.getPrompt({ name: 'release_report' });
  const { version, changes } = JSON.parse(await readNamed(client, 'Changelog'));
  await tell(client, 'publish_report', `${version}:${changes}`);
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
  'client/composite': publishReport,
  'client/stateless-composite': publishSummary,
  'client/discover-instructions': unlockVault,
  'client/header-mirroring': translate,
  'client/param-headers': queryEverywhere,
  'client/elicit-url': linkAccount,
  'client/get-stream': reportAnnounced,
  'stream/listen': listenUntilHeard,
  'resources/subscribe': readWhenChanged,
  'roots/list': surveyTwice,
  'utilities/progress': digTwice,
  'client/elicit-form': (client) => tell(client, 'book_meeting_room', 'Aurora'),
  'client/mrtr-basic': (client) => tell(client, 'create_deploy_key', 'mcpbench/demo'),
  'client/mrtr-multi-round': (client) => tell(client, 'provision_account', 'team'),
  'client/mrtr-no-state': async (client) => {
    const info = await call(client, 'get_ca_info');
    await call(client, 'request_certificate', { ca: info.content[0].text, domain: 'demo.example.com' });
    await call(client, 'get_ca_info');
  },
  'client/mrtr-elicit-url': linkMeanwhile,
  'connection/handshake': list,
  'connection/session': echoTwice,
  'say-word': sayWord,
  'tools/multi-step': stepUntilDone,
  'tools/pages': list, // the SDK walks all pages by itself
  'tools/event-stream': (client) => call(client, 'slow_word'),

  // The names of the official conformance suite.
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

/** Fills every field of a form: with what the context says, its default, or what a person would type. */
function fillForm(schema) {
  const content = {};
  for (const [field, { default: usual }] of Object.entries(schema?.properties ?? {})) {
    const answer = context.elicitation?.content?.[field] ?? usual ?? ANSWERS[field];
    if (answer !== undefined) content[field] = answer;
  }
  return content;
}

/** The URL that the user was shown, once it was. */
let show;
const shown = new Promise((resolve) => (show = resolve));
function askUser({ params }) {
  show(params.url);
  const action = context.elicitation?.action ?? 'accept';
  if (action !== 'accept' || params.mode === 'url') return { action };
  return { action, content: fillForm(params.requestedSchema) };
}

function writeMessage() {
  if (!context.sampling.rejected) return context.sampling;
  throw new ProtocolError(-1, 'User rejected sampling request');
}

/** The params of the first notification of each method, once it came. */
const heard = {};
function hear(client, method) {
  heard[method] = new Promise((resolve) => client.setNotificationHandler(method, ({ params }) => resolve(params)));
}

const roots = context.roots ?? [];
const extensions = scenario.startsWith('client/task-') ? { 'io.modelcontextprotocol/tasks': {} } : undefined;
const asksForInput = context.elicitation || /elicit|mrtr/.test(scenario);
const modes = context.elicitation?.modes ?? ['form', 'url'];
const handlers = [
  [asksForInput, 'elicitation', Object.fromEntries(modes.map((mode) => [mode, {}])), 'elicitation/create', askUser],
  [context.sampling, 'sampling', {}, 'sampling/createMessage', writeMessage],
  [context.roots, 'roots', { listChanged: true }, 'roots/list', () => ({ roots: roots[0] })],
].filter(([wanted]) => wanted);
const client = new Client(
  { name: 'mcp-checks-typescript', version: '1.0.0' },
  {
    capabilities: { extensions, ...Object.fromEntries(handlers.map(([, capability, declared]) => [capability, declared])) },
    // A revision that SUPPORTED_PROTOCOL_VERSIONS lists is negotiated by
    // `initialize`, which offers the first entry; a later one by `server/discover`.
    ...(SUPPORTED_PROTOCOL_VERSIONS.includes(wanted)
      ? { supportedProtocolVersions: [wanted, ...SUPPORTED_PROTOCOL_VERSIONS.filter((version) => version !== wanted)] }
      : { versionNegotiation: { mode: 'auto' } }),
  },
);
for (const [, , , method, handler] of handlers) client.setRequestHandler(method, handler);
hear(client, 'notifications/message');
hear(client, 'notifications/resources/updated');

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
