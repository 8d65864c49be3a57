// POST /v1/responses, GET /v1/responses/{id}, POST /v1/responses/{id}/cancel: a run as a response.
import type { Client, Run } from '@millrace/client';
import { MillraceError, type ApiAnswer } from '@millrace/contracts';
import { openAccess } from '../../access/open-access.ts';
import type { Access } from '../../access/access.ts';
import { findNewestRun } from '../../agents/answer-question.ts';
import type { GatewayContext } from '../../gateway-context.ts';
import { respondWithEvents } from '../../http/event-stream.ts';
import { openStream, type OpenedStream } from '../../http/open-stream.ts';
import { readJsonBody } from '../../http/read-body.ts';
import { deriveRunId } from '../../own/idempotency.ts';
import { readAgent } from '../../own/run-routes.ts';
import { pickId } from '../chat/chat-target.ts';
import { openAiErrorResponse } from '../openai-error.ts';
import { listIgnoredSettings, readForm, readModelSettings, startWithForm } from '../run-settings.ts';
import { findJoined, fingerprint, isRepeated } from '../recent-requests.ts';
import {
  RESPONSE_IGNORED,
  RESPONSE_SETTINGS,
  convertInput,
  hasSystem,
  listApprovals,
  readTextFormat,
  refuseUnsupported,
  responseRequestSchema,
} from './responses-request.ts';
import type { ResponseRequest } from './responses-request.ts';
import { startResponse } from './response-state.ts';
import { holdResponse, readResponse, readResponseFrames, throwEarlyEnd, writeTexts } from './responses-stream.ts';
import { describeResponse, readRunId, type ResponseIdentity } from './response-wire.ts';

const MS_PER_SECOND = 1_000;

export async function serveResponse(request: Request, context: GatewayContext): Promise<Response> {
  let accepted: string | undefined;
  try {
    const { access, headers } = await openAccess(request, context);
    access.require('run');
    const body = await readJsonBody(request, responseRequestSchema, context.settings.MAX_BODY_BYTES);
    const stream = openStream({ access, request, context });
    try {
      const started = await startRun(body, request.headers, access, context, stream.left);
      accepted = started.run.runId;
      const all = { ...headers, ...started.headers };
      if (body.background === true && body.stream !== true) {
        stream.close();
        return Response.json(describeResponse(startResponse(accepted), started.identity), { headers: all });
      }
      if (body.stream !== true) {
        const state = await readResponse(started.run, started.identity.itemBase);
        await context.limits.countTokens(access, state.usage?.totalTokens ?? 0);
        stream.close();
        throwEarlyEnd(state);
        return Response.json(describeResponse(state, started.identity), { headers: all });
      }
      context.limits.countRun(access, started.run);
      const frames = readResponseFrames(started.run, started.identity);
      const held = await holdResponse(frames, context.settings.FIRST_CONTENT_MS);
      const { KEEP_ALIVE_MS: keepAliveMs } = context.settings;
      return respondWithEvents(held, { keepAliveMs, onEnd: stream.close, headers: all });
    } catch (error) {
      stream.close();
      throw error;
    }
  } catch (error) {
    return openAiErrorResponse(error, accepted);
  }
}

type Started = { run: Run; identity: ResponseIdentity; headers: Record<string, string> };

async function startRun(
  body: ResponseRequest,
  headers: Headers,
  access: Access,
  { readTraits, recent }: GatewayContext,
  left: AbortSignal,
): Promise<Started> {
  refuseUnsupported(body);
  const agent = readAgent({ agent: body.model }, access);
  const acting = access.actAs(
    pickId([headers.get('x-millrace-subject'), body.safety_identifier ?? null, body.user ?? null]),
  );
  const client = await acting.client();
  const continued = await answerApprovals(body, client, acting, left);
  if (continued) return continued;
  const traits = await readTraits(acting, agent);
  const { acceptsSystem, hasHistory } = traits;
  const form = readForm(readTextFormat(body), 'text.format', traits);
  const settings = { ...readModelSettings(body, RESPONSE_SETTINGS, traits), ...form };
  const threadId = await chooseThread(body, acting, hasHistory);
  const messages = convertInput(body, { acceptsSystem, hasThread: threadId !== undefined && hasHistory });
  const print = fingerprint(acting, 'responses', body);
  const joined = isRepeated(headers) ? await findJoined(client, await recent.find(print)) : undefined;
  const runId = deriveRunId(acting, headers.get('idempotency-key')) ?? joined ?? crypto.randomUUID();
  await recent.remember(print, runId);
  const starting = client.start(agent, messages, { ...settings, runId, threadId, leave: left });
  const run = await startWithForm('text.format', starting);
  const ignored = listIgnoredSettings(body, RESPONSE_SETTINGS, RESPONSE_IGNORED, traits);
  return {
    run,
    identity: { ...createIdentity(body, threadId), previousId: body.previous_response_id ?? undefined },
    headers: {
      'x-millrace-run-id': runId,
      'x-should-retry': 'false',
      ...(ignored.length > 0 && { 'x-millrace-ignored': ignored.join(', ') }),
      ...(hasSystem(body) && { 'x-millrace-system': acceptsSystem ? 'as-system' : 'as-user' }),
    },
  };
}

/** The client approves or denies calls of a suspended run, which continues as a response of its own. */
async function answerApprovals(
  body: ResponseRequest,
  client: Client,
  access: Access,
  left: AbortSignal,
): Promise<Started | undefined> {
  const answers = listApprovals(body);
  const [first] = answers;
  if (!first) return undefined;
  access.require('answer');
  const { summary, pending = [] } = await client.runs.get(first.runId);
  const open = answers.flatMap(({ runId, pendingId, approved, reason }) => {
    const found = pending.find(({ id, kind }) => id === pendingId && kind === 'question' && runId === first.runId);
    return found?.resumeToken ? [{ token: found.resumeToken, data: { approved, ...(reason && { reason }) } }] : [];
  });
  if (open.length === 0 || summary?.agent !== body.model)
    throw new MillraceError('run-not-suspended', 'The run does not wait for these approvals.', {
      path: 'input',
      remedy: 'Read the response again: another client may have answered.',
    });
  let run = await client.follow(first.runId, { signal: left });
  await run.result();
  // oxlint-disable-next-line no-await-in-loop -- each answer continues the run that the one before has returned
  for (const { token, data } of open) run = await run.answer(token, data, { signal: left });
  const identity = createIdentity(body, readThread(body));
  return {
    run,
    identity: { ...identity, itemBase: `${first.runId}_${first.pendingId}` },
    headers: { 'x-millrace-run-id': first.runId, 'x-should-retry': 'false' },
  };
}

const readThread = ({ conversation }: ResponseRequest): string | undefined =>
  typeof conversation === 'string' ? conversation : conversation?.id;

/** A first response of an agent with a history gets a thread, so that a later one can follow it. @throws run-refused */
async function chooseThread(body: ResponseRequest, access: Access, hasHistory: boolean): Promise<string | undefined> {
  const { previous_response_id: previous, background, store } = body;
  const threadId = readThread(body);
  if (!hasHistory && (previous || background === true))
    throw refuseThread(previous ? 'previous_response_id' : 'background', 'the agent has no history');
  if (!previous) return threadId ?? (hasHistory && store !== false ? `responses-${crypto.randomUUID()}` : undefined);
  const runId = readRunId(previous);
  if (runId === undefined) throw new MillraceError('run-unknown', 'The previous response does not exist.');
  const client = await access.forRun(runId);
  const { summary } = await client.runs.get(runId);
  if (summary?.threadId === undefined) throw refuseThread('previous_response_id', 'that response has no conversation');
  const newest = await findNewestRun(client, summary.threadId);
  if (newest?.run.runId !== runId)
    throw refuseThread('previous_response_id', 'a later response has continued the conversation, which cannot branch');
  return summary.threadId;
}

const refuseThread = (path: string, reason: string): MillraceError =>
  new MillraceError('run-refused', `"${path}" cannot be used: ${reason}.`, {
    path,
    remedy: 'Send the whole history as input, or name the same "conversation" in each request.',
  });

const createIdentity = ({ model, metadata }: ResponseRequest, threadId: string | undefined): ResponseIdentity => ({
  model,
  createdAt: Math.floor(Date.now() / MS_PER_SECOND),
  threadId,
  previousId: undefined,
  metadata: metadata ?? {},
});

/** A response of another caller does not exist. */
export async function serveStoredResponse(request: Request, id: string, context: GatewayContext): Promise<Response> {
  try {
    const { access, headers } = await openAccess(request, context);
    access.require('read');
    const runId = readRunId(id);
    if (runId === undefined) throw new MillraceError('run-unknown', 'The response does not exist.');
    const client = await access.forRun(runId);
    const found = await client.runs.get(runId);
    const identity = readIdentity(found);
    const query = new URL(request.url).searchParams;
    const isActive = found.status === 'queued' || found.status === 'running';
    const asStream = query.get('stream') === 'true';
    if (isActive && !asStream) return Response.json(describeResponse(startResponse(runId), identity), { headers });
    const stream = openStream({ access, request, context });
    try {
      const run = await client.follow(runId, { signal: stream.left });
      if (!asStream) return await respondWhole(run, identity, stream, headers);
      const after = query.get('starting_after');
      const frames = readResponseFrames(run, identity, after === null ? -1 : readNumber(after));
      const { KEEP_ALIVE_MS: keepAliveMs } = context.settings;
      return respondWithEvents(writeTexts(frames), { keepAliveMs, onEnd: stream.close, headers });
    } catch (error) {
      stream.close();
      throw error;
    }
  } catch (error) {
    return openAiErrorResponse(error);
  }
}

async function respondWhole(
  run: Run,
  identity: ResponseIdentity,
  stream: OpenedStream,
  headers: Record<string, string>,
): Promise<Response> {
  const state = await readResponse(run);
  stream.close();
  return Response.json(describeResponse(state, identity), { headers });
}

/** @throws message-invalid */
function readNumber(text: string): number {
  if (/^\d{1,16}$/.test(text)) return Number(text);
  throw new MillraceError('message-invalid', '"starting_after" is not the number of an event.', {
    path: 'starting_after',
    remedy: 'Send the sequence_number of the last event that was received.',
  });
}

const readIdentity = ({ summary }: ApiAnswer<'run'>): ResponseIdentity => ({
  model: summary?.agent ?? '',
  createdAt: Math.floor(Date.parse(summary?.submittedAt ?? '1970-01-01') / MS_PER_SECOND),
  threadId: summary?.threadId,
  previousId: undefined,
  metadata: {},
});

/** POST /v1/responses/{id}/cancel */
export async function cancelResponse(request: Request, id: string, context: GatewayContext): Promise<Response> {
  try {
    const { access, headers } = await openAccess(request, context);
    access.require('run');
    const runId = readRunId(id);
    if (runId === undefined) throw new MillraceError('run-unknown', 'The response does not exist.');
    const client = await access.forRun(runId);
    const identity = readIdentity(await client.runs.get(runId));
    await client.runs.cancel(runId);
    const run = await client.follow(runId, { signal: request.signal });
    return Response.json(describeResponse(await readResponse(run), identity), { headers });
  } catch (error) {
    return openAiErrorResponse(error);
  }
}
