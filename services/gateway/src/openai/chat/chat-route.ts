// POST /v1/chat/completions: an agent as a model.
import { subtractUsage } from '../../agents/client-calls.ts';
import { openBody } from '../../access/open-access.ts';
import type { Run } from '@millrace/client';
import type { GatewayContext } from '../../context/gateway-context.ts';
import { respondWithEvents } from '../../http/event-stream.ts';
import { openOwnedRun, type OwnedStream } from '../../access/open-stream.ts';
import { fromWireError, type RunResult, type Usage } from '@millrace/contracts';
import { describeChatCall, describeCompletion, type ChatHead } from '@millrace/openai-wire';
import { chatRequestSchema, type ChatCompletionBody } from './chat-request.ts';
import { chooseFinishReason, describeSuspension, isObjectBroken } from './chat-state.ts';
import { holdHeaders, readChatFrames } from './chat-stream.ts';
import { createChatWriter } from './chat-wire.ts';
import { onResponseEnd } from '../../http/response-end.ts';
import { endAnswered } from '../../recent/open-request.ts';
import { ContentBlocked, describeOpenAiError, openAiErrorResponse } from '../openai-error.ts';
import { startChat, type StartedChat } from './start-chat.ts';

const MS_PER_SECOND = 1_000;

export async function serveChat(request: Request, context: GatewayContext): Promise<Response> {
  let accepted: string | undefined;
  let started: StartedChat | undefined;
  try {
    const opened = await openBody(request, { scope: 'run', schema: chatRequestSchema }, context);
    const { access, body } = opened;
    // A request above the limit is refused before its run is accepted.
    const owned = openOwnedRun(access, request.signal, context);
    try {
      started = await startChat(body, request.headers, access, context, owned.clientClosed);
      const { runId } = started.run;
      accepted = runId;
      context.limits.countRun(started.access, started.client, runId);
      const created = Math.floor(Date.now() / MS_PER_SECOND);
      const head = { id: `chatcmpl-${runId}`, model: body.model, created };
      const headers = { ...opened.headers, ...started.headers };
      if (body.stream === true) return await streamChat(head, body, started, { context, owned, headers });
      const answer = await answerChat(head, started, { context, owned, headers });
      owned.close();
      const { opened: record } = started;
      return onResponseEnd(answer, (end) => void endAnswered(record, end));
    } catch (error) {
      const { status } = describeOpenAiError(error);
      const isCut = request.signal.aborted && isContinued(owned, started, context);
      await started?.opened.end(isCut ? 'cut' : { status });
      owned.close();
      throw error;
    }
  } catch (error) {
    return openAiErrorResponse(error, accepted);
  }
}

/** A client that disconnects cancels its run, unless the run is kept or the gateway drains. */
const isContinued = (
  { clientClosed }: OwnedStream,
  started: StartedChat | undefined,
  { draining }: GatewayContext,
): boolean => started?.isKept === true || (draining.aborted && !clientClosed.aborted);

type AnswerParts = { context: GatewayContext; owned: OwnedStream; headers: Record<string, string> };

async function answerChat(head: ChatHead, started: StartedChat, { owned, headers }: AnswerParts): Promise<Response> {
  const { run, client } = started;
  const [whole, text] = await Promise.all([run.result(), started.before && readText(run)]);
  const usage = subtractUsage(whole.usage, started.before ?? {});
  const result = { ...whole, usage, text: text ?? whole.text };
  owned.checkCredential();
  throwFailed(result);
  if (result.status === 'suspended') {
    const { pending = [] } = await client.runs.get(run.runId);
    const end = describeSuspension(run.runId, pending);
    const message =
      end.kind === 'calls'
        ? { content: result.text || null, tool_calls: end.calls.map(describeChatCall) }
        : { content: end.text };
    const reason = end.kind === 'calls' ? 'tool_calls' : 'stop';
    return Response.json(describeCompletion(head, message, reason, usage), {
      headers: { ...headers, 'x-millrace-status': 'suspended' },
    });
  }
  const refusal = result.tripwire?.reason ?? readBroken(result);
  if (refusal !== undefined) {
    const message = { content: result.text, refusal };
    return Response.json(describeCompletion(head, message, 'content_filter', usage), { headers });
  }
  const reason = chooseFinishReason(result.finishReason);
  return Response.json(describeCompletion(head, { content: result.text }, reason, usage), { headers });
}

/** Returns the text that the reader has received: the result of a continued run holds that of its earlier answers too. */
async function readText(run: Run): Promise<string> {
  let pieces: { index: number; text: string }[] = [];
  for await (const { index, chunk } of run.positions) {
    if (chunk.type === 'text-delta') pieces.push({ index, text: chunk.payload.text });
    if (chunk.type === 'retract') pieces = pieces.filter((piece) => piece.index < chunk.payload.index);
  }
  return pieces.map(({ text }) => text).join('');
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

async function streamChat(
  head: ChatHead,
  body: ChatCompletionBody,
  started: StartedChat,
  { context, owned, headers }: AnswerParts,
): Promise<Response> {
  const { run, client, opened, before = {} } = started;
  const { settings } = context;
  const includeUsage = body.stream_options?.include_usage === true;
  const writer = createChatWriter(head, includeUsage);
  const frames = readChatFrames(run, writer);
  const readUsage = async (finished: Usage | undefined) =>
    subtractUsage(finished ?? (await client.runs.get(run.runId)).result?.usage ?? {}, before);
  const { checkCredential } = owned;
  const options = { waitMs: settings.FIRST_CONTENT_MS, includeUsage, readUsage, checkCredential };
  const held = await holdHeaders(frames, writer, options);
  return respondWithEvents(held, {
    keepAliveMs: settings.KEEP_ALIVE_MS,
    headers,
    onEnd(end) {
      const isCancelled = end === 'interrupted' && !isContinued(owned, started, context);
      void (isCancelled ? opened.end('cancelled') : endAnswered(opened, end));
      owned.close();
    },
  });
}
