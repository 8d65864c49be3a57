// The stream against what is known beforehand: values whose marks somebody wrote down, with words between them, cut anywhere. So
// the expected text is no work of the code that is tested.
import type { Processor } from '@millrace/processor';
import * as fc from 'fast-check';
import { expect } from 'vitest';
import { streamText, type StreamKind } from './stream-text.ts';

export type KnownValue = readonly [value: string, mark: string];

const SEED = 20_261_121;
const splits = fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 1, maxLength: 40 });

type Known = { values: readonly KnownValue[]; harmless: readonly string[]; ends?: readonly string[]; numRuns?: number };

/** Values and words in any order; in tool arguments as the text that JSON quotes. */
export async function expectMarks(
  create: () => Processor,
  kind: StreamKind,
  { values, harmless, ends = [', ', '; ', '\n', ' and '], numRuns = 150 }: Known,
): Promise<void> {
  const plain = harmless.map((text): KnownValue => [text, text]);
  const piece = fc.oneof(fc.constantFrom(...values), fc.constantFrom(...plain));
  const pieces = fc.array(fc.tuple(piece, fc.constantFrom(...ends)), { maxLength: 20 });
  await fc.assert(
    fc.asyncProperty(pieces, splits, async (chosen, sizes) => {
      const written = (at: 0 | 1) => chosen.map(([value, end]) => value[at] + end).join('');
      const as = (text: string) => (kind === 'tool' ? JSON.stringify({ text }) : text);
      const { passed } = await streamText(create(), as(written(0)), sizes, kind);
      expect(passed.join('')).toBe(as(written(1)));
    }),
    { seed: SEED, numRuns },
  );
}
