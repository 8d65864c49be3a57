// Compares the stream with a known result: values with fixed marks and words between them, cut anywhere, so that the
// expected text is independent of the tested code.
import type { Processor } from '@millrace/processor';
import * as fc from 'fast-check';
import { streamText, type StreamKind } from './stream-text.ts';

export type KnownValue = readonly [value: string, mark: string];

const SEED = 20_261_121;
const splits = fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 1, maxLength: 40 });

type Known = { values: readonly KnownValue[]; harmless: readonly string[]; ends?: readonly string[]; numRuns?: number };

/**
 * Returns the shortest text with a wrong result, of values and words in any order; in tool arguments as a quoted text.
 */
export async function listWronglyMarked(
  create: () => Processor,
  kind: StreamKind,
  { values, harmless, ends = [', ', '; ', '\n', ' and '], numRuns = 150 }: Known,
): Promise<{ text: string; passed: string; expected: string } | undefined> {
  const plain = harmless.map((text): KnownValue => [text, text]);
  const piece = fc.oneof(fc.constantFrom(...values), fc.constantFrom(...plain));
  const pieces = fc.array(fc.tuple(piece, fc.constantFrom(...ends)), { maxLength: 20 });
  let wrong: { text: string; passed: string; expected: string } | undefined;
  const property = fc.asyncProperty(pieces, splits, async (chosen, sizes) => {
    const [text, expected] = [writeAs(kind, chosen, 0), writeAs(kind, chosen, 1)];
    const passed = (await streamText(create(), text, sizes, kind)).passed.join('');
    if (passed !== expected) wrong = { text, passed, expected };
    return passed === expected;
  });
  await fc.check(property, { seed: SEED, numRuns });
  return wrong;
}

function writeAs(kind: StreamKind, pieces: readonly [KnownValue, string][], at: 0 | 1): string {
  const text = pieces.map(([value, end]) => value[at] + end).join('');
  return kind === 'tool' ? JSON.stringify({ text }) : text;
}
