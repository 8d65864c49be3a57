// What the stand-in says in one model call, before it is put into either API's wire form: the reasoning, then the text,
// then the tool calls, in deltas of `chunkSize` code points, `delayMs` apart. A `failure` beside any output breaks the
// answer off after that output; alone it is an HTTP error.
export type ReplyCall = {
  readonly name: string;
  /** The argument text as sent; a script may put text here that is not JSON. */
  readonly arguments: string;
};

export type ReplyFailure = {
  readonly status: number;
  readonly message: string;
  readonly retryAfterSeconds: number | undefined;
};

export type Reply = {
  readonly reasoning: string;
  readonly text: string;
  readonly toolCalls: readonly ReplyCall[];
  readonly finish: 'stop' | 'length';
  readonly chunkSize: number;
  readonly delayMs: number;
  readonly failure: ReplyFailure | undefined;
};

export const defaultChunkSize = 16;

export const plainReply = (text: string, toolCalls: readonly ReplyCall[] = []): Reply => ({
  reasoning: '',
  text,
  toolCalls,
  finish: 'stop',
  chunkSize: defaultChunkSize,
  delayMs: 0,
  failure: undefined,
});

export const hasOutput = (reply: Reply): boolean =>
  reply.reasoning !== '' || reply.text !== '' || reply.toolCalls.length > 0;

// Without the u flag, so that the halves of a pair match too.
const surrogate = /[\uD800-\uDFFF]/;

/** The text in pieces of `size` code points: a pair of surrogates is never parted. */
export function* chunked(text: string, size: number): Generator<string> {
  if (!surrogate.test(text)) {
    for (let at = 0; at < text.length; at += size) yield text.slice(at, at + size);
    return;
  }
  let piece = '';
  let count = 0;
  for (const point of text) {
    piece += point;
    count += 1;
    if (count < size) continue;
    yield piece;
    piece = '';
    count = 0;
  }
  if (piece !== '') yield piece;
}

/** How many deltas the reply streams as: what a caller that does not stream waits for, in pauses between them. */
export function deltaCount(reply: Reply): number {
  const parts = [reply.reasoning, reply.text, ...reply.toolCalls.map((call) => call.arguments)];
  return parts.reduce((sum, part) => sum + Math.ceil(codePoints(part) / reply.chunkSize), 0);
}

const codePoints = (text: string): number => (surrogate.test(text) ? Array.from(text).length : text.length);
