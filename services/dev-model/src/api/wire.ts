// Serializes a reply for one API. `frames` are server-sent events as text, with `pause` before a frame that waits for
// the reply's delay; `body` is the same answer for a call without streaming.
import type { ServedCall } from '../conversation.ts';
import type { ModelReply } from '../reply.ts';

export const pause: unique symbol = Symbol('pause');

export type Frame = string | typeof pause;

export type ApiWire = {
  readonly frames: (call: ServedCall, reply: ModelReply) => Generator<Frame, void>;
  readonly body: (call: ServedCall, reply: ModelReply) => object;
};

/** An id in OpenAI's form: `chatcmpl-…`, `msg_…`. */
export const createId = (prefix: string): string => prefix + crypto.randomUUID().replaceAll('-', '');

export const readUnixSeconds = (): number => Math.floor(Date.now() / 1000);
