// Counts tokens by an estimate or by the encoding of OpenAI's models. The count is the sum over a text's pieces, so
// that a stream and the whole text have the same count. If the encoding joins two pieces (a full stop and the following
// line break), the sum is one too high.
import { createRequire } from 'node:module';
import type * as Encoding from 'gpt-tokenizer/encoding/o200k_base';
import { estimateTokenCount } from 'tokenx';
import { defineTask, type PrepareJudge } from '../../work/define-task.ts';
import { splitText } from './pieces.ts';

export const COUNTINGS = ['estimate', 'exact'] as const;
export type Counting = (typeof COUNTINGS)[number];

/**
 * Characters that one turn of the event loop counts. The encoding takes 10 µs per character on its worst text, so about
 * 10 ms.
 */
export const MAX_COUNTED_AT_ONCE = 1_024;

export type CountPiece = (piece: string) => number;

/** Loads the exact counter on first use, because it takes 0.2 s and 74 MB per process. */
export const createPieceCounter = (counting: Counting): CountPiece =>
  counting === 'estimate' ? (piece) => estimateTokenCount(piece) : createExactCounter();

function createExactCounter(): CountPiece {
  const load = createRequire(import.meta.url);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what `require` gives has no type
  const { countTokens } = load('gpt-tokenizer/encoding/o200k_base') as typeof Encoding;
  // Treats the spelling of a control token as plain text.
  const plain = { disallowedSpecial: new Set<string>() };
  return (piece) => countTokens(piece, plain);
}

/** Maximum tokens of the beginning and of the end of each text that a counter locates. */
export type TextEnds = { head: number; tail: number };
/** `headEnd`: end of the longest beginning with at most `head` tokens; `tailStart`: start of the longest end with at most `tail` tokens. */
export type CountedText = { tokens: number; headEnd: number; tailStart: number };

export const prepareTokenCounting: PrepareJudge<{ counting: Counting; ends?: TextEnds }, CountedText> = ({
  counting,
  ends = { head: 0, tail: 0 },
}) => {
  const count = createPieceCounter(counting);
  return (texts) => texts.map((text) => countPieces(text, count, ends));
};

export const tokenCountingTask = defineTask(import.meta.url, prepareTokenCounting);

function countPieces(text: string, count: CountPiece, { head, tail }: TextEnds): CountedText {
  const pieces: { start: number; tokens: number }[] = [];
  let tokens = 0;
  let headEnd = 0;
  let end = 0;
  let first = 0;
  let tailTokens = 0;
  for (const piece of splitText(text)) {
    const own = count(piece);
    if (tail > 0) pieces.push({ start: end, tokens: own });
    tokens += own;
    end += piece.length;
    if (tokens <= head) headEnd = end;
    for (tailTokens += own; tailTokens > tail && first < pieces.length; first++)
      tailTokens -= pieces[first]?.tokens ?? 0;
  }
  return { tokens, headEnd, tailStart: pieces[first]?.start ?? end };
}
