// An API's way of putting a reply on the wire. `frames` are server-sent events as text, with `pause` where the next one
// is due after the reply's delay; `body` is the same answer to a caller who does not stream.
import type { ModelCall } from '../conversation.ts';
import type { Reply } from '../reply.ts';

export const pause: unique symbol = Symbol('pause');

export type Frame = string | typeof pause;

export type Wire = {
  readonly frames: (call: ModelCall, reply: Reply) => Generator<Frame, void>;
  readonly body: (call: ModelCall, reply: Reply) => object;
};

/** An id as OpenAI makes them: `chatcmpl-…`, `msg_…`. */
export const newId = (prefix: string): string => prefix + crypto.randomUUID().replaceAll('-', '');

export const unixSeconds = (): number => Math.floor(Date.now() / 1000);
