// A request: one question, answers until the final one, all to one reply subject. What goes wrong is a value: {error}, coded.
// Progress messages are numbered densely from 0; a gap means that something was lost, and ends the request.
import { MillraceError, fromWireError, wireErrorSchema } from '@millrace/contracts';
import type { Msg } from 'nats';
import { z } from 'zod';
import type { Bus } from './bus.ts';
import { decode, encodeWithin, isNoResponders, type Decoded } from './wire.ts';

export type Request<T> = {
  subject: string;
  payload: unknown;
  reply: z.ZodType<T>;
  /** From asking to the final answer, ms. */
  timeoutMs: number;
  /** Repeats the question after each such time without an answer, ms: another replica of the queue group may receive it. Only for idempotent ones. */
  repeatEveryMs?: number | undefined;
  signal?: AbortSignal | undefined;
  /** The same without a signal, which costs more than the rest of a request: is told how to give this one up. */
  onAsked?: (giveUp: () => void) => void;
  /** Says what an answer is: the number of a progress message, or that it is final. Absent: the first answer is final. */
  progressOf?: (answer: T) => number | 'final';
  onProgress?: (answer: T) => void;
};
export type Answer<T> = Decoded<T>;

const errorReplySchema = z.object({ error: wireErrorSchema });

/** Codes: nobody-there, timeout, cancelled, bus-unreachable, message-invalid, message-too-large; and what the other side answered. */
export function request<T>(bus: Bus, ask: Request<T>): Promise<Answer<T>> {
  const { subject, timeoutMs, repeatEveryMs, signal } = ask;
  let payload: Buffer;
  try {
    payload = encodeWithin(ask.payload, bus.maxPayload(), subject);
  } catch (error) {
    return Promise.resolve(failed(MillraceError.isInstance(error) ? error : notJson(subject, error)));
  }
  if (signal?.aborted) return Promise.resolve(failed(cancelled(subject)));
  return new Promise((resolve) => {
    let expected = 0;
    let isOver = false;
    let repeating: NodeJS.Timeout | undefined;
    const finish = (answer: Answer<T>) => {
      isOver = true;
      inbox.release();
      clearTimeout(timer);
      clearInterval(repeating);
      signal?.removeEventListener('abort', onAbort);
      resolve(answer);
    };
    const onMessage = (message: Msg) => {
      const answer = read(message, ask);
      const progress = 'ok' in answer ? (ask.progressOf?.(answer.ok) ?? 'final') : 'final';
      if (progress === 'final' || 'error' in answer) return finish(answer);
      if (progress !== expected) return finish(failed(gap(subject, expected, progress)));
      expected += 1;
      ask.onProgress?.(answer.ok);
    };
    const onAbort = () => finish(failed(cancelled(subject)));
    const inbox = bus.inbox.open(onMessage, () => finish(failed(closed(subject))));
    const timer = setTimeout(() => finish(failed(timedOut(subject, timeoutMs))), timeoutMs);
    signal?.addEventListener('abort', onAbort, { once: true });
    ask.onAsked?.(onAbort);
    if (isOver) return;
    const publish = () => {
      try {
        bus.nc.publish(subject, payload, { reply: inbox.subject });
      } catch (cause) {
        finish(
          failed(new MillraceError('bus-unreachable', `${subject} could not be asked: ${String(cause)}`, { cause })),
        );
      }
    };
    publish();
    // While the connection is down the client library keeps the first question and sends it on reconnection.
    if (!isOver && repeatEveryMs !== undefined)
      repeating = setInterval(() => bus.connected() && publish(), repeatEveryMs);
  });
}

function read<T>(message: Msg, ask: Request<T>): Answer<T> {
  if (isNoResponders(message)) return failed(nobody(ask.subject));
  const thrown = serviceError(message, ask.subject);
  if (thrown) return failed(thrown);
  const answer = decode(message.data, ask.reply, `the answer of ${ask.subject}`);
  if ('ok' in answer) return answer;
  const coded = decode(message.data, errorReplySchema, ask.subject);
  return 'ok' in coded ? failed(fromWireError(coded.ok.error)) : answer;
}

/** An exception by the convention of NATS services (ADR-32): two headers, whatever the data is. Its text is the other side's own. */
function serviceError({ headers }: Msg, subject: string): MillraceError | undefined {
  const text = headers?.get('Nats-Service-Error') ?? '';
  const code = headers?.get('Nats-Service-Error-Code') ?? '';
  if (text === '' && code === '') return undefined;
  const message = `${subject} answered an error${code === '' ? '' : ` ${code.slice(0, MAX_CODE_LENGTH)}`}: ${text.slice(0, MAX_TEXT_LENGTH)}`;
  return new MillraceError('service-failed', message, { path: subject });
}
const MAX_CODE_LENGTH = 16;
const MAX_TEXT_LENGTH = 4_096;

const failed = (error: MillraceError) => ({ error });
const nobody = (subject: string) =>
  new MillraceError('nobody-there', `Nobody answers on ${subject}.`, {
    path: subject,
    remedy: 'Start a service that serves it, with the same NATS_URL and MILLRACE_PREFIX.',
  });
const cancelled = (subject: string) => new MillraceError('cancelled', `The call of ${subject} was given up.`);
const closed = (subject: string) =>
  new MillraceError('bus-unreachable', `The connection was closed before ${subject} answered.`);
const notJson = (subject: string, cause: unknown) =>
  new MillraceError('not-json', `What was meant for ${subject} cannot be written as JSON: ${String(cause)}`, { cause });
const timedOut = (subject: string, timeoutMs: number) =>
  new MillraceError('timeout', `${subject} did not answer within ${timeoutMs} ms.`, { path: subject });
const gap = (subject: string, expected: number, got: number) =>
  new MillraceError('session-lost', `An answer of ${subject} was lost: number ${expected} is missing, ${got} came.`);
