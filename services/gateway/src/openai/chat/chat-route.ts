// POST /v1/chat/completions: an agent as a model.
import { openAccess } from '../../access/open-access.ts';
import type { Access } from '../../access/access.ts';
import { watchCredential } from '../../access/watch-credential.ts';
import type { GatewayContext } from '../../gateway-context.ts';
import { respondWithEvents } from '../../http/event-stream.ts';
import { readJsonBody } from '../../http/read-body.ts';
import { fromWireError, type RunResult } from '@millrace/contracts';
import { chatRequestSchema, type ChatRequest } from './chat-request.ts';
import { describePending, isObjectBroken } from './chat-state.ts';
import { holdHeaders, readChatFrames } from './chat-stream.ts';
import { createChatWriter, describeResult, writeCompletion, type ChatIdentity } from './chat-wire.ts';
import { ContentBlocked, openAiErrorResponse } from '../openai-error.ts';
import { startChat, type StartedChat } from './start-chat.ts';

const MS_PER_SECOND = 1_000;

export async function serveChat(request: Request, context: GatewayContext): Promise<Response> {
  let accepted: string | undefined;
  try {
    const { access, headers } = await openAccess(request, context);
    access.require('run');
    const body = await readJsonBody(request, chatRequestSchema, context.settings.MAX_BODY_BYTES);
    const gone = abortWhenDisconnected(request.signal, context.draining);
    // A stream above the limit is refused before its run is accepted.
    const close = body.stream === true ? openPlace(access, context, gone) : () => undefined;
    try {
      const started = await startChat(body, request.headers, access, context, gone.signal);
      const { runId } = started.run;
      accepted = runId;
      const identity = { runId, model: body.model, created: Math.floor(Date.now() / MS_PER_SECOND) };
      const own = { ...headers, ...started.headers };
      if (body.stream === true)
        return await streamChat(identity, body, started, { context, gone, close, headers: own });
      return await answerChat(identity, started, context, own);
    } catch (error) {
      close();
      throw error;
    }
  } catch (error) {
    return openAiErrorResponse(error, accepted);
  }
}

/** A client that disconnects cancels its run. A gateway that drains closes connections itself and cancels nothing. */
function abortWhenDisconnected(disconnected: AbortSignal, draining: AbortSignal): AbortController {
  const gone = new AbortController();
  const react = () => {
    if (!draining.aborted) gone.abort();
  };
  if (disconnected.aborted) react();
  disconnected.addEventListener('abort', react, { once: true });
  return gone;
}

async function answerChat(
  identity: ChatIdentity,
  { run, client, access }: StartedChat,
  { limits }: GatewayContext,
  headers: Record<string, string>,
): Promise<Response> {
  const result = await run.result();
  await limits.countTokens(access, result.usage.totalTokens ?? 0);
  throwFailed(result);
  if (result.status === 'suspended') {
    const { pending = [] } = await client.runs.get(run.runId);
    const message = { role: 'assistant', content: describePending(pending), refusal: null } as const;
    const body = writeCompletion(identity, message, 'stop', result.usage);
    return Response.json(body, { headers: { ...headers, 'x-millrace-status': 'suspended' } });
  }
  const refusal = result.tripwire?.reason ?? readBroken(result);
  if (refusal !== undefined) {
    const message = { role: 'assistant', content: result.text, refusal } as const;
    return Response.json(writeCompletion(identity, message, 'content_filter', result.usage), { headers });
  }
  return Response.json(describeResult(identity, result), { headers });
}

/** Returns the reason of an object that a processor broke. */
const readBroken = ({ error }: RunResult): string | undefined =>
  error && isObjectBroken(error) ? error.message : undefined;

/** @throws ContentBlocked if no text was passed, and the error of a failed or cancelled run */
function throwFailed(result: RunResult): void {
  const { status, text, tripwire, error } = result;
  if (tripwire && text === '') throw new ContentBlocked(tripwire.reason, tripwire.processorId);
  if (readBroken(result) !== undefined) return;
  if (status === 'failed') throw fromWireError(error ?? { code: 'internal', message: 'The run failed.' });
  if (status === 'cancelled' || status === 'released')
    throw fromWireError({ code: 'run-cancelled', message: `The run was ${status}.` });
}

/** Returns the function that frees the place of a stream. @throws limit-exceeded */
function openPlace(access: Access, context: GatewayContext, gone: AbortController): () => void {
  const free = context.limits.openStream(access);
  const forget = watchCredential(access.identity, context, () => gone.abort());
  return () => {
    free();
    forget();
  };
}

type StreamParts = {
  context: GatewayContext;
  gone: AbortController;
  close: () => void;
  headers: Record<string, string>;
};

async function streamChat(
  identity: ChatIdentity,
  body: ChatRequest,
  { run, access: acting }: StartedChat,
  { context, gone, close, headers }: StreamParts,
): Promise<Response> {
  const { settings, limits } = context;
  const writer = createChatWriter(identity);
  const frames = readChatFrames(run, writer);
  const includeUsage = body.stream_options?.include_usage === true;
  const held = await holdHeaders(frames, writer, { waitMs: settings.FIRST_CONTENT_MS, includeUsage });
  void run
    .result()
    .then(({ usage }) => limits.countTokens(acting, usage.totalTokens ?? 0))
    .catch(() => undefined);
  return respondWithEvents(held, {
    keepAliveMs: settings.KEEP_ALIVE_MS,
    headers,
    onEnd() {
      close();
      if (!context.draining.aborted) gone.abort();
    },
  });
}
