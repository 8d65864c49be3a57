// GET and DELETE /v1/responses/{id}, and POST /v1/responses/{id}/cancel: reads, deletes and cancels the run of a response.
import type { Client, Run } from '@millrace/client';
import { MillraceError, type ApiAnswer } from '@millrace/contracts';
import { openAccess } from '../../access/open-access.ts';
import type { GatewayContext } from '../../context/gateway-context.ts';
import { respondWithEvents } from '../../http/event-stream.ts';
import { openStream, type OpenedStream } from '../../access/open-stream.ts';
import { openAiErrorResponse } from '../openai-error.ts';
import type { ResponseIdentity } from './response-identity.ts';
import { startResponse } from './response-changes.ts';
import { describeResponse, readRunId } from './response-wire.ts';
import { readResponse, readResponseFrames, writeTexts } from './responses-stream.ts';

const MS_PER_SECOND = 1_000;

/** A response of another caller does not exist. */
export async function serveStoredResponse(request: Request, id: string, context: GatewayContext): Promise<Response> {
  try {
    const { access, headers } = await openAccess(request, 'read', context);
    const runId = requireRunId(id);
    const client = await access.connectClient();
    const found = await client.runs.get(runId);
    const identity = readIdentity(found);
    const query = new URL(request.url).searchParams;
    const isActive = found.status === 'queued' || found.status === 'running';
    const asStream = query.get('stream') === 'true';
    if (isActive && !asStream) return Response.json(describeResponse(startResponse(runId), identity), { headers });
    const stream = openStream({ access, request, context });
    try {
      const run = await client.follow(runId, { signal: stream.left });
      if (!asStream) return await respondWhole({ run, client, identity }, stream, headers);
      const after = query.get('starting_after');
      const frames = readResponseFrames({ run, client, identity }, after === null ? -1 : readNumber(after));
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
  started: { run: Run; client: Client; identity: ResponseIdentity },
  stream: OpenedStream,
  headers: Record<string, string>,
): Promise<Response> {
  const state = await readResponse(started);
  stream.close();
  return Response.json(describeResponse(state, started.identity), { headers });
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

/** POST /v1/responses/{id}/cancel. A key without the scope read receives the status alone. */
export async function cancelResponse(request: Request, id: string, context: GatewayContext): Promise<Response> {
  try {
    const { access, headers } = await openAccess(request, 'run', context);
    const runId = requireRunId(id);
    const client = await access.connectClient();
    const identity = readIdentity(await client.runs.get(runId));
    await client.runs.cancel(runId);
    const run = await client.follow(runId, { signal: request.signal });
    const state = await readResponse({ run, client, identity });
    const mayRead = access.identity.scopes.includes('read');
    const shown = mayRead ? state : { ...startResponse(runId), status: state.status };
    return Response.json(describeResponse(shown, identity), { headers });
  } catch (error) {
    return openAiErrorResponse(error);
  }
}

/** DELETE /v1/responses/{id}: the messages of the response stay in its conversation. */
export async function deleteResponse(request: Request, id: string, context: GatewayContext): Promise<Response> {
  try {
    const { access, headers } = await openAccess(request, 'run', context);
    const runId = requireRunId(id);
    await (await access.connectClient()).runs.delete(runId);
    return Response.json({ id, object: 'response', deleted: true }, { headers });
  } catch (error) {
    return openAiErrorResponse(error);
  }
}

/** @throws run-unknown */
function requireRunId(responseId: string): string {
  const runId = readRunId(responseId);
  if (runId === undefined) throw new MillraceError('run-unknown', 'The response does not exist.');
  return runId;
}
