// The requests of every verb of the api, and of every route of a gateway.
import { buildTextMessage, type ApiRequestInput, type ApiVerb } from '@millrace/contracts';

/** The runs of one caller, of one agent, and their thread. */
export type Known = { agent: string; runs: readonly string[]; thread: string; subject: string };

/** A new verb without a request is a type error. */
export const buildRequests = ({
  agent: known,
  thread,
  subject,
  tool,
}: Omit<Known, 'runs'> & { tool: string }): { readonly [V in ApiVerb]: readonly ApiRequestInput<V>[] } => ({
  submit: ['unknown', known].map((agent) => ({
    runId: crypto.randomUUID(),
    tenant: 'default',
    agent,
    subject,
    messages: [buildTextMessage('m1', 'user', 'hello')],
    ...(agent === known && { inputProcessors: ['unknown'] }),
  })),
  run: [{}],
  inspect: [{}],
  cancel: [{}],
  resume: [{ token: 'x', data: {} }],
  answer: [{ token: 'x', data: {} }],
  release: [{}],
  delete: [{}],
  'suspended-list': [{}],
  replay: [{}],
  events: [{}],
  'events-detail': [{}],
  changes: [{}],
  check: (['input', 'output'] as const).flatMap((direction) => [
    ...['hello', 'sesame'].map((text) => ({ agent: known, direction, texts: [text] })),
    { agent: 'unknown', direction, texts: ['hello'] },
  ]),
  erase: [{ resourceId: 'absent', eraseId: 'x' }],
  'saves-list': [{}],
  'runs-list': [{}],
  'runs-newest': [{ threadId: thread }, { threadId: `${thread}-failed` }],
  'dead-letters-list': [{}],
  'dead-letters-retry': [{}],
  'agents-apply': [{ definition: { name: known, model: 'openai/x', input: ['unknown'] }, dryRun: true }],
  'agents-list': [{}],
  'agents-get': [{ agent: known }, { agent: 'unknown' }],
  'agents-delete': [{ agent: 'unknown' }],
  'agents-plan': [{ agent: known }],
  processors: [{}],
  'processors-try': [{ processor: 'unknown', text: 'x' }],
  status: [{}],
  models: [{}],
  'tools-call': [{ tool, args: {} }],
  'threads-list': [{ resourceId: subject }],
  'threads-get': [{ threadId: thread }],
  'threads-search': [{ query: 'x' }],
  'threads-create': [{ threadId: thread }, { threadId: `${thread}-created` }].map((one) => ({
    ...one,
    resourceId: subject,
    agents: [known],
  })),
  'threads-update': [{ threadId: thread, title: 'a title' }],
  'threads-clone': [{ threadId: thread, newThreadId: `${thread}-cloned` }],
  'threads-delete': [{ threadId: 'unknown' }],
  'threads-truncate': [{ threadId: thread, from: 'unknown', last: 'unknown' }],
  'messages-list': [{ threadId: thread }],
  'messages-save': [{ threadId: thread, messages: [] }],
  'messages-delete': [{ threadId: thread, ids: ['unknown'] }],
  'memory-get': [{ resourceId: subject }, { threadId: thread }],
  'memory-set': [{ resourceId: 'absent', memory: {} }],
  'keys-create': [{ scopes: ['run'], label: '' }],
  'keys-list': [{}],
  'keys-revoke': [{ id: 'unknown0' }],
});

type Operation = { operationId: string; requestBody?: unknown };
export type OpenApi = { paths: Readonly<Record<string, Readonly<Record<string, Operation>>>> };
export type Asked = { method: string; path: string; body?: unknown; accept?: string };

/** Sends the request as the caller of the key. */
export const sendAsked = (
  url: string,
  key: string,
  { method, path, body, accept }: Asked,
  headers: Record<string, string> = {},
): Promise<Response> =>
  fetch(url + path, {
    method,
    headers: {
      ...headers,
      authorization: `Bearer ${key}`,
      ...(accept !== undefined && { accept }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(20_000),
  });

/** Bodies of the routes of the document by operation; other routes receive an empty object. */
const BODIES: Readonly<Record<string, unknown>> = {
  startRun: { input: 'hello', inputProcessors: ['pii', 'unknown'] },
  checkTexts: { direction: 'input', texts: ['sesame'] },
  searchThreads: { query: 'x' },
  updateThread: { title: 'a title' },
  deleteMessages: { ids: ['unknown'] },
  truncateThread: { from: 'unknown', last: 'unknown' },
  answerRun: { token: 'x', data: {} },
};
/** They would end the runs and threads that the other routes read. */
const LAST = new Set(['cancelRun', 'releaseRun', 'deleteThread']);

/** Returns a request for each route of the document, once for each run, and for those of the other protocols. */
export function listRoutes({ paths }: OpenApi, { agent, runs, thread }: Known, input: string): Asked[] {
  const own = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId, requestBody }]) => {
      const filled = path
        .replace('{agent}', agent)
        .replace('{thread}', thread)
        .replaceAll(/\{(?!run)\w+\}/g, 'unknown');
      const body = requestBody === undefined ? {} : { body: BODIES[operationId] ?? {} };
      return { operationId, method: method.toUpperCase(), path: filled, ...body };
    }),
  );
  const ofRuns = own.flatMap((one) =>
    one.path.includes('{run}') ? runs.map((run) => ({ ...one, path: one.path.replace('{run}', run) })) : [one],
  );
  const isLast = ({ operationId }: { operationId: string }) => LAST.has(operationId);
  const others = listOtherProtocols({ agent, runs, thread }, input);
  return [...ofRuns.filter((one) => !isLast(one)), ...others, ...ofRuns.filter(isLast)];
}

function listOtherProtocols({ agent, runs, thread }: Omit<Known, 'subject'>, input: string): Asked[] {
  const accept = 'application/json, text/event-stream';
  const messages = [{ role: 'user', content: input }];
  const chat = `/v1/agents/${agent}/ui`;
  const parts = [{ type: 'text', text: input }];
  const rpc = (method: string, params: object) => ({ jsonrpc: '2.0', id: 1, method, params });
  return [
    { method: 'GET', path: '/v1/models' },
    { method: 'GET', path: `/v1/models/${agent}` },
    ...[false, true].flatMap((stream) => [
      { method: 'POST', path: '/v1/chat/completions', body: { model: agent, messages, stream } },
      { method: 'POST', path: '/v1/responses', body: { model: agent, input, stream } },
    ]),
    ...runs.map((run) => ({ method: 'GET', path: `/v1/responses/resp_${run}` })),
    { method: 'POST', path: '/v1/moderations', body: { model: agent, input: 'sesame' } },
    { method: 'POST', path: chat, body: { id: 'page', messages: [{ id: 'm', role: 'user', parts }] } },
    { method: 'GET', path: `${chat}/${thread}/messages` },
    { method: 'GET', path: `${chat}/${thread}/stream` },
    { method: 'POST', path: `${chat}/${thread}/stop` },
    ...runs.map((run) => ({ method: 'POST', path: `/v1/responses/resp_${run}/cancel` })),
    ...runs.map((run) => ({ method: 'DELETE', path: `/v1/responses/resp_${run}` })),
    ...['/mcp', `/mcp/${agent}`].flatMap((path) => [
      { method: 'POST', path, accept, body: rpc('tools/list', {}) },
      {
        method: 'POST',
        path,
        accept,
        body: rpc('tools/call', { name: agent, arguments: { message: input } }),
      },
    ]),
  ];
}
