// Serves one model call of either text API, from validated request to HTTP answer: the script or the canned exchanges
// give the reply, then limits, errors and the wire form apply.
import { setTimeout as delay } from 'node:timers/promises';
import { findCannedReply } from '../canned/canned-reply.ts';
import type { ServedCall } from '../conversation.ts';
import { judgeReply } from '../judge/judge-reply.ts';
import { countInputTokens, cutToLimits } from '../output-limit.ts';
import { countDeltas, hasOutput, type ReplyFailure } from '../reply.ts';
import { findScriptedReply } from '../script/script.ts';
import { ApiError } from './api-error.ts';
import { createSseBody } from './sse-body.ts';
import type { ApiWire } from './wire.ts';

/** The methods of pino's Logger that this service uses. It never logs texts of the conversation. */
export type DevModelLog = {
  readonly info: (fields: object, message: string) => void;
  readonly warn: (fields: object, message: string) => void;
  readonly error: (fields: object, message: string) => void;
};

export type ModelServing = {
  readonly log: DevModelLog;
  /** Maximum tokens of a prompt, counted as in the usage. Default: none. */
  readonly contextWindow?: number | undefined;
};

const maxRequestIdLength = 512;

export async function serveModelCall(
  request: Request,
  call: ServedCall,
  wire: ApiWire,
  { log, contextWindow = Infinity }: ModelServing,
): Promise<Response> {
  refuseAboveWindow(call, contextWindow);
  const clientRequestId = request.headers.get('x-client-request-id')?.slice(0, maxRequestIdLength);
  const scripted = findScriptedReply(call, clientRequestId) ?? judgeReply(call);
  const reply = cutToLimits(scripted ?? findCannedReply(call.conversation), call);
  const fields = {
    model: call.model,
    stream: call.stream,
    clientRequestId,
    scripted: scripted !== undefined,
    toolCalls: reply.toolCalls.length,
  };

  if (reply.failure !== undefined && !(call.stream && hasOutput(reply))) {
    log.info({ ...fields, status: reply.failure.status }, 'model call answered with its scripted error');
    throw createFailureError(reply.failure);
  }

  if (call.stream) {
    const body = createSseBody(wire.frames(call, reply), reply, (end) => {
      log.info({ ...fields, ...end }, 'model call streamed');
    });
    // Set explicitly; otherwise the server would wait for more of the body to learn its length.
    const headers = { 'content-type': 'text/event-stream; charset=utf-8', 'transfer-encoding': 'chunked' };
    return new Response(body, { headers: { ...headers, 'cache-control': 'no-cache' } });
  }

  const pauseMs = reply.delayMs * Math.floor(Math.max(0, countDeltas(reply) - 1) / reply.burst);
  if (pauseMs > 0) await delay(pauseMs, undefined, { signal: request.signal });
  log.info(fields, 'model call answered');
  return Response.json(wire.body(call, reply));
}

function createFailureError({ status, message, retryAfterSeconds }: ReplyFailure): ApiError {
  const code = status === 429 ? 'rate_limit_exceeded' : status >= 500 ? 'server_error' : 'scripted_error';
  // Retry-After holds whole seconds (RFC 9110, 10.2.3); OpenAI's retry-after-ms is exact.
  const headers =
    retryAfterSeconds === undefined
      ? {}
      : {
          'retry-after': String(Math.ceil(retryAfterSeconds)),
          'retry-after-ms': String(Math.round(retryAfterSeconds * 1000)),
        };
  return new ApiError({ status, code, message, headers });
}

/** Throws the error of OpenAI for a prompt that is longer than the window of the model. */
function refuseAboveWindow({ conversation, conversationField }: ServedCall, contextWindow: number): void {
  const tokens = countInputTokens(conversation.turns);
  if (tokens <= contextWindow) return;
  const message =
    `This model's maximum context length is ${contextWindow} tokens. However, your messages resulted in ${tokens} tokens. ` +
    'Please reduce the length of the messages.';
  throw new ApiError({ status: 400, code: 'context_length_exceeded', param: conversationField, message });
}
