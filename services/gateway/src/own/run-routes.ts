// Routes of runs: start, follow, rejoin, cancel, answer, release, and reading back.
import {
  API,
  MAX_REQUEST_MESSAGES,
  MillraceError,
  callerModelSettingsSchema,
  callerOutputSchema,
  callerToolChoiceSchema,
  clientToolsSchema,
  replacedIdsSchema,
  releaseSchema,
  jsonValueSchema,
  messageSchema,
  overrideEntrySchema,
  publicRunEventSchema,
  runEventSchema,
  runResultSchema,
  runStatusSchema,
  buildTextMessage,
  threadIdSchema,
  tokenSchema,
  jsonObjectSchema,
} from '@millrace/contracts';
import { z } from 'zod';
import { openStream, readRefusal } from '../access/open-stream.ts';
import { waitForAbort } from '@millrace/bus';
import { defineRoute, type OwnRoute } from './define-route.ts';
import { readAgent } from '../agents/read-agent.ts';
import { deriveRunId } from '../agents/idempotency.ts';
import { followRunEvents, startRunEvents } from './run-streams.ts';

const MS_PER_SECOND = 1_000;
const MAX_WAIT_S = 600;

const inputSchema = z.union([
  z.string().min(1),
  z
    .array(
      z.union([messageSchema, z.strictObject({ role: z.enum(['user', 'assistant', 'system']), text: z.string() })]),
    )
    .min(1)
    .max(MAX_REQUEST_MESSAGES),
]);

const startBodySchema = z.strictObject({
  input: inputSchema.describe('a text, or messages: {role, text}, or the whole form of the contracts'),
  threadId: threadIdSchema.optional().describe('conversation; without it the run has no memory'),
  resourceId: threadIdSchema.optional().describe('owner of the thread; default: the subject of the key'),
  requestContext: jsonObjectSchema.optional(),
  inputProcessors: z.array(overrideEntrySchema).max(32).optional(),
  outputProcessors: z.array(overrideEntrySchema).max(32).optional(),
  errorProcessors: z.array(overrideEntrySchema).max(32).optional(),
  maxProcessorRetries: z.number().int().min(0).max(100).optional(),
  structuredOutput: callerOutputSchema.optional().describe('the form of the answer; the result has it as object'),
  modelSettings: callerModelSettingsSchema.optional().describe('within callerSettings of the agent'),
  toolChoice: callerToolChoiceSchema.optional(),
  clientTools: clientToolsSchema
    .optional()
    .describe(
      'tools that the client executes: a pending item with clientCall is a call, answered with {output} or {error}',
    ),
  parallelToolCalls: z.boolean().optional().describe('only with clientTools'),
  replaces: replacedIdsSchema
    .optional()
    .describe(
      'ids of the last messages of the thread, which the run replaces: 409 is the error of the run if there are later ones',
    ),
  release: releaseSchema.optional().describe('at least as late as the release of the agent'),
  deadlineMs: z.number().int().min(1).max(86_400_000).optional(),
});
type StartBody = z.output<typeof startBodySchema>;

const readInput = (input: StartBody['input']) =>
  typeof input === 'string'
    ? input
    : input.map((message) =>
        'text' in message ? buildTextMessage(crypto.randomUUID(), message.role, message.text) : message,
      );

const acceptedSchema = z.object({ runId: tokenSchema, status: runStatusSchema });
const pageSchema = z.object({
  limit: z.coerce.number().int().min(1).max(1_000).default(100),
  after: z.coerce.number().int().min(0).default(0),
});
const runFilterSchema = pageSchema.extend({
  newest: z.stringbool().default(false),
  status: runStatusSchema.optional(),
  agent: tokenSchema.optional(),
  threadId: threadIdSchema.optional(),
  resourceId: threadIdSchema.optional(),
  subject: threadIdSchema.optional(),
  since: z.iso.datetime().optional(),
  until: z.iso.datetime().optional(),
});
const answerBodySchema = z.strictObject({ token: z.string().min(1).max(128), data: jsonValueSchema });
const nothingSchema = z.strictObject({});

const wantsEvents = (request: Request): boolean =>
  (request.headers.get('accept') ?? '').toLowerCase().includes('text/event-stream');

const startRoute = defineRoute({
  method: 'POST',
  path: '/v1/agents/{agent}/runs',
  id: 'startRun',
  summary:
    'Starts a run. Returns its id at once, its result if `wait` is set and the run ends in time, or its chunks as a stream if the client accepts text/event-stream. A repeated request with the same Idempotency-Key is the same run.',
  verb: 'submit',
  query: z.object({
    wait: z.coerce.number().int().min(0).max(MAX_WAIT_S).default(0).describe('s to wait for the result'),
  }),
  body: startBodySchema,
  answer: z.union([acceptedSchema, runResultSchema]),
  status: 202,
  events: 'also',
  async handle({ access, params, query, body, request, context }) {
    const agent = readAgent(params, access);
    const { input, ...options } = body;
    const runId = deriveRunId(access, request.headers.get('idempotency-key'));
    const start = { agent, input: readInput(input), options: { ...options, runId } };
    if (wantsEvents(request)) return startRunEvents(start, { access, request, context });
    const stream = openStream({ access, request, context });
    try {
      const client = await access.connectClient();
      const run = await client.start(agent, start.input, { ...start.options, leave: stream.left });
      context.limits.countRun(access, client, run.runId);
      if (query.wait === 0) return { runId: run.runId, status: await run.status() };
      const waited = AbortSignal.any([stream.left, AbortSignal.timeout(query.wait * MS_PER_SECOND)]);
      const result = await Promise.race([run.result(), waitForAbort(waited)]);
      const refusal = readRefusal(stream.left);
      if (refusal) throw refusal;
      return result ? Response.json(result) : { runId: run.runId, status: await run.status() };
    } finally {
      stream.close();
    }
  },
});

const readRun = ({ run = '' }: Readonly<Record<string, string>>): string => {
  if (tokenSchema.safeParse(run).success) return run;
  throw new MillraceError('run-unknown', 'The run does not exist.');
};

export const RUN_ROUTES: readonly OwnRoute[] = [
  startRoute,
  defineRoute({
    method: 'GET',
    path: '/v1/runs',
    id: 'listRuns',
    summary: 'Lists the runs of the caller, in the order of their last change; with `newest` the latest first.',
    verb: 'runs-list',
    query: runFilterSchema,
    answer: API['runs-list'].answer,
    async handle({ access, query }) {
      return (await access.connectClient()).runs.list(query);
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/v1/runs/{run}',
    id: 'getRun',
    summary: 'Returns status, result and open questions of a run.',
    verb: 'run',
    answer: API.run.answer,
    async handle({ access, params }) {
      const runId = readRun(params);
      return (await access.connectClient()).runs.get(runId);
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/v1/runs/{run}/chunks',
    id: 'followRun',
    summary:
      'Streams the chunks of a run from its start, or after the event of Last-Event-ID or `after`. Retracted chunks are omitted.',
    verb: 'replay',
    query: z.object({ after: z.string().optional().describe('id of the last received event, such as 1.17') }),
    answer: nothingSchema,
    events: 'only',
    handle: ({ access, params, query, request, context }) =>
      followRunEvents({ runId: readRun(params), after: query.after }, { access, request, context }),
  }),
  defineRoute({
    method: 'POST',
    path: '/v1/runs/{run}/cancel',
    id: 'cancelRun',
    summary: 'Cancels a run. Returns the status before.',
    verb: 'cancel',
    answer: acceptedSchema,
    handle: async ({ access, params }) => {
      const runId = readRun(params);
      return { runId, status: await (await access.connectClient()).runs.cancel(runId) };
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/v1/runs/{run}/answer',
    id: 'answerRun',
    summary: 'Answers a question of a suspended run with the token of its chunk `suspended`.',
    verb: 'answer',
    body: answerBodySchema,
    answer: acceptedSchema,
    handle: async ({ access, params, body }) => {
      const runId = readRun(params);
      const client = await access.connectClient();
      await client.runs.answer(runId, body.token, body.data);
      return { runId, status: (await client.runs.get(runId)).status };
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/v1/runs/{run}/resume',
    id: 'resumeRun',
    summary:
      'Answers a question or an approval of a suspended run as an operator. With `args` it approves a call with other arguments, which every guard of the call judges.',
    verb: 'resume',
    body: answerBodySchema.extend({ args: jsonObjectSchema.optional() }),
    answer: acceptedSchema,
    handle: async ({ access, params, body }) => {
      const runId = readRun(params);
      const client = await access.connectOperator();
      await client.runs.resume(runId, body.token, body.data, { args: body.args });
      return { runId, status: (await client.runs.get(runId)).status };
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/v1/runs/{run}/release',
    id: 'releaseRun',
    summary: 'Ends a suspended run without an answer.',
    verb: 'release',
    answer: acceptedSchema,
    handle: async ({ access, params }) => {
      const runId = readRun(params);
      return { runId, status: await (await access.connectClient()).runs.release(runId) };
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/v1/runs/{run}/events',
    id: 'listEvents',
    summary: 'Lists the events of each stage: verdicts, durations, violations by rule.',
    verb: 'events',
    answer: z.object({ events: z.array(publicRunEventSchema) }),
    async handle({ access, params }) {
      const runId = readRun(params);
      return { events: await (await access.connectClient()).runs.events(runId) };
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/v1/runs/{run}/inspect',
    id: 'inspectRun',
    summary: 'Returns the owner of a run, its calls under way with replica, attempt and age, and its deferred saves.',
    verb: 'inspect',
    answer: API.inspect.answer,
    handle: async ({ access, params }) => (await access.connectOperator()).runs.inspect(readRun(params)),
  }),
  defineRoute({
    method: 'GET',
    path: '/v1/runs/{run}/changes',
    id: 'listChanges',
    summary:
      'Lists what each processor changed, if the agent has `record: changes`. Text that the result of the run does not have is masked.',
    verb: 'changes',
    answer: API.changes.answer,
    handle: async ({ access, params }) => (await access.connectOperator()).runs.changes(readRun(params)),
  }),
  defineRoute({
    method: 'GET',
    path: '/v1/runs/{run}/events-detail',
    id: 'listEventsDetail',
    summary: 'Lists the events with reasons, spans and error messages.',
    verb: 'events-detail',
    answer: z.object({ events: z.array(runEventSchema) }),
    handle: async ({ access, params }) => ({
      events: await (await access.connectOperator()).runs.eventsDetail(readRun(params)),
    }),
  }),
];
