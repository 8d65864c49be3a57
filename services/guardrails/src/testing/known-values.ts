// The stream against what is known beforehand: values whose marks somebody wrote down, with words between them, cut anywhere. So
// the expected text is no work of the code that is tested.
import type { Processor } from '@millrace/processor';
import * as fc from 'fast-check';
import { streamText, type StreamKind } from './stream-text.ts';

export type KnownValue = readonly [value: string, mark: string];

const SEED = 20_261_121;
const splits = fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 1, maxLength: 40 });

type Known = { values: readonly KnownValue[]; harmless: readonly string[]; ends?: readonly string[]; numRuns?: number };

/** The shortest text that comes out as it should not, of values and words in any order; in tool arguments as a quoted text. */
export async function wronglyMarked(
  create: () => Processor,
  kind: StreamKind,
  { values, harmless, ends = [', ', '; ', '\n', ' and '], numRuns = 150 }: Known,
): Promise<{ text: string; passed: string; expected: string } | undefined> {
  const plain = harmless.map((text): KnownValue => [text, text]);
  const piece = fc.oneof(fc.constantFrom(...values), fc.constantFrom(...plain));
  const pieces = fc.array(fc.tuple(piece, fc.constantFrom(...ends)), { maxLength: 20 });
  let wrong: { text: string; passed: string; expected: string } | undefined;
  const property = fc.asyncProperty(pieces, splits, async (chosen, sizes) => {
    const [text, expected] = [writtenAs(kind, chosen, 0), writtenAs(kind, chosen, 1)];
    const passed = (await streamText(create(), text, sizes, kind)).passed.join('');
    if (passed !== expected) wrong = { text, passed, expected };
    return passed === expected;
  });
  await fc.check(property, { seed: SEED, numRuns });
  return wrong;
}

function writtenAs(kind: StreamKind, pieces: readonly [KnownValue, string][], at: 0 | 1): string {
  const text = pieces.map(([value, end]) => value[at] + end).join('');
  return kind === 'tool' ? JSON.stringify({ text }) : text;
}
