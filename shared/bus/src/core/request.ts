// Sends a request: one message, replies until the final one, all to one reply subject. An error is a value: {error},
// coded. Progress messages are numbered densely from 0; a gap means a lost message and ends the request.
import { MillraceError, fromWireError, wireErrorSchema } from '@millrace/contracts';
import type { Msg } from 'nats';
import { z } from 'zod';
import type { Bus } from './bus.ts';
import {
  REJECTED_HEADER,
  decode,
  encodeWithin,
  isNoResponders,
  makeHeaders,
  readHeader,
  type DecodeResult,
} from './wire.ts';

export type BusRequest<T> = {
  subject: string;
  payload: unknown;
  /** Headers of the message. */
  headers?: Readonly<Record<string, string>> | undefined;
  reply: z.ZodType<T>;
  /** From the request to the final reply, ms. */
  timeoutMs: number;
  /**
   * Repeats the request after each such time without a reply, ms: another replica of the queue group may receive it.
   * Only for idempotent ones. From the second repetition on two copies are sent, because the server chooses the replica
   * of each at random. The request fails at once if no copy has a responder, or if replicas reject all copies because
   * they are full.
   */
  repeatEveryMs?: number | undefined;
  signal?: AbortSignal | undefined;
  /**
   * Alternative to a signal, which costs more than the rest of a request: receives the function that cancels this one.
   */
  onAsked?: (giveUp: () => void) => void;
  /** Adds the text of the result to the reply of a tool: attachTexts. */
  keepsTexts?: 'reply';
  /** Returns the number of a progress message, or 'final'. Default: the first reply is final. */
  readProgress?: (answer: T) => number | 'final';
  onProgress?: (answer: T) => void;
};
export type RequestAnswer<T> = DecodeResult<T>;

const errorReplySchema = z.object({ error: wireErrorSchema });

/**
 * Codes: nobody-there, timeout, cancelled, bus-unreachable, permission-denied, message-invalid, message-too-large; and
 * those of the other side.
 */
export function request<T>(bus: Bus, ask: BusRequest<T>): Promise<RequestAnswer<T>> {
  const { subject, timeoutMs, repeatEveryMs, signal } = ask;
  const encoded = encodePayload(ask, bus.readMaxPayload());
  if ('error' in encoded) return Promise.resolve(encoded);
  const { payload } = encoded;
  if (signal?.aborted) return Promise.resolve(toFailure(createCancelledError(subject)));
  return new Promise((resolve) => {
    let expected = 0;
    let copies = 0;
    let refused = 0;
    let isOver = false;
    let repeating: NodeJS.Timeout | undefined;
    const finish = (answer: RequestAnswer<T>) => {
      isOver = true;
      inbox.release();
      clearTimeout(timer);
      clearInterval(repeating);
      signal?.removeEventListener('abort', onAbort);
      resolve(answer);
    };
    const onMessage = (message: Msg) => {
      // Another replica may have accepted another copy of the request: its answer may be pending, or lost with it.
      if (isUnaccepted(message) && (refused += 1) < copies) return;
      const answer = read(message, ask);
      const progress = 'ok' in answer ? (ask.readProgress?.(answer.ok) ?? 'final') : 'final';
      if (progress === 'final' || 'error' in answer) return finish(answer);
      if (progress !== expected) return finish(toFailure(createGapError(subject, expected, progress)));
      expected += 1;
      ask.onProgress?.(answer.ok);
    };
    const onAbort = () => finish(toFailure(createCancelledError(subject)));
    const inbox = bus.inbox.open(onMessage, subject, (error) => finish(toFailure(error)));
    const timer = setTimeout(() => finish(toFailure(createTimeoutError(subject, timeoutMs))), timeoutMs);
    signal?.addEventListener('abort', onAbort, { once: true });
    ask.onAsked?.(onAbort);
    if (isOver) return;
    const sent = ask.headers && makeHeaders(ask.headers);
    const publish = () => {
      copies += 1;
      try {
        bus.nc.publish(subject, payload, { reply: inbox.subject, ...(sent && { headers: sent }) });
      } catch (cause) {
        finish(
          toFailure(
            new MillraceError('bus-unreachable', `The request to ${subject} failed: ${String(cause)}`, { cause }),
          ),
        );
      }
    };
    publish();
    // While the connection is down the client library keeps the first request and sends it on reconnection.
    const repeat = () => {
      if (!bus.hasConnection()) return;
      const isFirst = copies === 1;
      publish();
      if (!isFirst && !isOver) publish();
    };
    if (!isOver && repeatEveryMs !== undefined) repeating = setInterval(repeat, repeatEveryMs);
  });
}

/** Returns whether no replica received the request, or the replica that did is full: no handler has read it. */
const isUnaccepted = (message: Msg): boolean =>
  isNoResponders(message) || readHeader(message, REJECTED_HEADER) !== undefined;

function encodePayload(
  { payload, subject }: Pick<BusRequest<unknown>, 'payload' | 'subject'>,
  maxBytes: number,
): { payload: Buffer } | { error: MillraceError } {
  try {
    return { payload: encodeWithin(payload, maxBytes, subject) };
  } catch (error) {
    return toFailure(MillraceError.isInstance(error) ? error : createNotJsonError(subject, error));
  }
}

function read<T>(message: Msg, ask: BusRequest<T>): RequestAnswer<T> {
  if (isNoResponders(message)) return toFailure(createNoResponderError(ask.subject));
  const thrown = readServiceError(message, ask.subject);
  if (thrown) return toFailure(thrown);
  const answer = decode(message.data, ask.reply, `the answer of ${ask.subject}`, { keepsTexts: ask.keepsTexts });
  if ('ok' in answer) return answer;
  const coded = decode(message.data, errorReplySchema, ask.subject);
  return 'ok' in coded ? toFailure(fromWireError(coded.ok.error)) : answer;
}

/**
 * Reads an error of the NATS services protocol (ADR-32): two headers, for any data. Its text is the other side's own.
 */
function readServiceError({ headers }: Msg, subject: string): MillraceError | undefined {
  const text = headers?.get('Nats-Service-Error') ?? '';
  const code = headers?.get('Nats-Service-Error-Code') ?? '';
  if (text === '' && code === '') return undefined;
  const message = `${subject} answered an error${code === '' ? '' : ` ${code.slice(0, MAX_CODE_LENGTH)}`}: ${text.slice(0, MAX_TEXT_LENGTH)}`;
  return new MillraceError('service-failed', message, { path: subject });
}
const MAX_CODE_LENGTH = 16;
const MAX_TEXT_LENGTH = 4_096;

const toFailure = (error: MillraceError) => ({ error });
const createNoResponderError = (subject: string) =>
  new MillraceError('nobody-there', `No service is subscribed to ${subject}.`, {
    path: subject,
    remedy: 'Start a service that serves it, with the same NATS_URL and MILLRACE_PREFIX.',
  });
const createCancelledError = (subject: string) =>
  new MillraceError('cancelled', `The call of ${subject} was cancelled.`);
const createNotJsonError = (subject: string, cause: unknown) =>
  new MillraceError('not-json', `The message for ${subject} is not JSON: ${String(cause)}`, { cause });
const createTimeoutError = (subject: string, timeoutMs: number) =>
  new MillraceError('timeout', `${subject} did not answer within ${timeoutMs} ms.`, { path: subject });
const createGapError = (subject: string, expected: number, got: number) =>
  new MillraceError('session-lost', `A reply of ${subject} was lost: number ${expected} is missing, ${got} arrived.`);
