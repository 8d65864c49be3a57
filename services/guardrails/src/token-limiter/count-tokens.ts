// How many tokens a text is: estimated, or by the encoding of OpenAI's models. The sum over its pieces, so that a stream comes to
// the count of the whole; where an encoding would join two pieces (a full stop and the line break after it) that is one too many.
import { createRequire } from 'node:module';
import type * as Encoding from 'gpt-tokenizer/encoding/o200k_base';
import { estimateTokenCount } from 'tokenx';
import type { PrepareJudge } from '../work/task-outcome.ts';
import { piecesOf } from './pieces.ts';

export const COUNTINGS = ['estimate', 'exact'] as const;
export type Counting = (typeof COUNTINGS)[number];

/** Characters that are counted in one turn of the event loop: some 10 ms of the encoding on its worst text, 10 µs a character. */
export const MAX_COUNTED_AT_ONCE = 1_024;

export type CountPiece = (piece: string) => number;

/** The first exact one of a process takes 0.2 s and 74 MB to load: nobody else should pay for it. */
export const pieceCounter = (counting: Counting): CountPiece =>
  counting === 'estimate' ? (piece) => estimateTokenCount(piece) : exactCounter();

function exactCounter(): CountPiece {
  const load = createRequire(import.meta.url);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what `require` gives has no type
  const { countTokens } = load('gpt-tokenizer/encoding/o200k_base') as typeof Encoding;
  // A text that spells a control token is text.
  const plain = { disallowedSpecial: new Set<string>() };
  return (piece) => countTokens(piece, plain);
}

export const prepareTokenCounting: PrepareJudge<{ counting: Counting }, number> = ({ counting }) => {
  const count = pieceCounter(counting);
  return (texts) => texts.map((text) => countPieces(text, count));
};

function countPieces(text: string, count: CountPiece): number {
  let tokens = 0;
  for (const piece of piecesOf(text)) tokens += count(piece);
  return tokens;
}
