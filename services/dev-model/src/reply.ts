// The reply of one model call, before the wire form of either API: the reasoning, the text, then the tool calls, in
// deltas of `chunkSize` code points, in bursts of `burst` deltas, `delayMs` apart. A `failure` with output breaks the
// answer off after it; without output it is an HTTP error.
export type ReplyCall = {
  /** Default: a new id. Some servers count the calls of each answer instead. */
  readonly id?: string | undefined;
  readonly name: string;
  /** Argument text as sent; a script can set text that is not JSON. */
  readonly arguments: string;
};

export type ReplyFailure = {
  readonly status: number;
  readonly message: string;
  readonly retryAfterSeconds: number | undefined;
};

export type ModelReply = {
  readonly reasoning: string;
  readonly text: string;
  readonly toolCalls: readonly ReplyCall[];
  readonly finish: 'stop' | 'length';
  readonly chunkSize: number;
  readonly delayMs: number;
  readonly burst: number;
  readonly failure: ReplyFailure | undefined;
};

export const defaultChunkSize = 16;

export const buildPlainReply = (text: string, toolCalls: readonly ReplyCall[] = []): ModelReply => ({
  reasoning: '',
  text,
  toolCalls,
  finish: 'stop',
  chunkSize: defaultChunkSize,
  delayMs: 0,
  burst: 1,
  failure: undefined,
});

export const hasOutput = (reply: ModelReply): boolean =>
  reply.reasoning !== '' || reply.text !== '' || reply.toolCalls.length > 0;

// Has no u flag, so that it matches the halves of a pair too.
const surrogate = /[\uD800-\uDFFF]/;

/** Splits the text into pieces of `size` code points without splitting a surrogate pair. */
export function* splitChunks(text: string, size: number): Generator<string> {
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

/** Counts the deltas of the reply: a call without streaming waits for as many pauses. */
export function countDeltas(reply: ModelReply): number {
  const parts = [reply.reasoning, reply.text, ...reply.toolCalls.map((call) => call.arguments)];
  return parts.reduce((sum, part) => sum + Math.ceil(countCodePoints(part) / reply.chunkSize), 0);
}

const countCodePoints = (text: string): number => (surrogate.test(text) ? Array.from(text).length : text.length);
