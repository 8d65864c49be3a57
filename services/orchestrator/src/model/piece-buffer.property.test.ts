import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ModelPart } from './prompt.ts';
import { EMPTY_BUFFER, mayWait, MAX_PIECE_CHARS, reduceBuffer, type BufferEvent } from './piece-buffer.ts';

const id = fc.constantFrom('a', 'b');
const delta = fc.string({ maxLength: 12 });
const metadata = fc.constantFrom({}, { providerMetadata: { openai: { itemId: 'i1' } } });
const piece: fc.Arbitrary<ModelPart> = fc
  .tuple(fc.constantFrom('text-delta', 'reasoning-delta', 'tool-input-delta'), id, delta, metadata)
  .map(([type, part, text, more]) => ({ type, id: part, delta: text, ...more }));
const other: fc.Arbitrary<ModelPart> = fc.constantFrom<ModelPart>(
  { type: 'text-start', id: 'a' },
  { type: 'text-end', id: 'a' },
  { type: 'tool-call', toolCallId: 'c1', toolName: 'clock', input: '{}' },
  { type: 'raw', rawValue: {} },
  { type: 'error', error: 'broken' },
);
const event: fc.Arbitrary<BufferEvent> = fc.oneof(
  { weight: 6, arbitrary: piece.map((part) => ({ type: 'part' as const, part })) },
  { weight: 2, arbitrary: other.map((part) => ({ type: 'part' as const, part })) },
  { weight: 2, arbitrary: fc.constant({ type: 'flush' as const }) },
);
const events = fc.array(event, { maxLength: 60 });

/** Each event with the parts that leave at it, and a last flush. */
function runAll(all: readonly BufferEvent[]): { event: BufferEvent; passed: readonly ModelPart[]; waits: boolean }[] {
  let buffer = EMPTY_BUFFER;
  return [...all, { type: 'flush' as const }].map((one) => {
    const step = reduceBuffer(buffer, one);
    buffer = step.buffer;
    return { event: one, passed: step.passed, waits: mayWait(buffer) };
  });
}

const makeKey = (part: ModelPart): string | undefined =>
  'delta' in part ? JSON.stringify({ ...part, delta: '' }) : undefined;
/** Adjacent pieces of one part joined, without any bound: the order and the text of a stream. */
function joinAll(parts: readonly ModelPart[]): ModelPart[] {
  const all: ModelPart[] = [];
  for (const part of parts) {
    const last = all.at(-1);
    if (last && 'delta' in part && 'delta' in last && makeKey(last) === makeKey(part))
      all[all.length - 1] = { ...last, delta: last.delta + part.delta };
    else all.push(part);
  }
  return all;
}
const collectGiven = (all: readonly BufferEvent[]): ModelPart[] =>
  all.flatMap((one) => (one.type === 'part' ? [one.part] : []));

test('the text of each part, its order and every other part are those of the provider', () => {
  fc.assert(
    fc.property(events, (all) => {
      expect(joinAll(runAll(all).flatMap(({ passed }) => passed))).toEqual(joinAll(collectGiven(all)));
    }),
  );
});

test('a part that is no piece leaves at once, behind the piece that waits', () => {
  fc.assert(
    fc.property(events, (all) => {
      const others = runAll(all).filter(({ event: one }) => one.type === 'part' && !('delta' in one.part));
      expect(others.map(({ passed }) => passed.at(-1))).toEqual(
        others.map(({ event: one }) => 'part' in one && one.part),
      );
    }),
  );
});

test('the first piece of a part may not wait, and one that continues the last part may', () => {
  fc.assert(
    fc.property(events, (all) => {
      const steps = runAll(all);
      const isRight = steps.every(({ event: one, waits }, at) => {
        if (one.type !== 'part' || !waits) return true;
        const before = steps
          .slice(0, at + 1)
          .flatMap(({ passed }) => passed)
          .at(-1);
        return before !== undefined && makeKey(before) === makeKey(one.part);
      });
      expect(isRight).toBe(true);
    }),
  );
});

test('a joined piece is bounded', () => {
  const part: ModelPart = { type: 'text-delta', id: 'a', delta: 'x'.repeat(MAX_PIECE_CHARS / 4) };
  const passed = runAll(Array.from({ length: 11 }, () => ({ type: 'part' as const, part }))).flatMap(
    (one) => one.passed,
  );
  expect(passed.map((one) => ('delta' in one ? one.delta.length : 0))).toEqual([
    MAX_PIECE_CHARS,
    MAX_PIECE_CHARS,
    (MAX_PIECE_CHARS * 3) / 4,
  ]);
});
