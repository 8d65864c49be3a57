// Chunks of a broken processor.
import type { Quirks } from './wire-violations.ts';

export const buildDataChunk = (data: unknown) => ({
  type: 'data-x',
  runId: 'run-1',
  from: 'AGENT',
  data: { said: data },
});

/** In two deltas. */
export function thinking(): Record<string, unknown>[] {
  const chunk = (type: string, more: object = {}) => ({
    type,
    runId: 'run-1',
    from: 'AGENT',
    payload: { id: 'r', ...more },
  });
  return [
    chunk('reasoning-start'),
    chunk('reasoning-delta', { text: 'it was sec' }),
    chunk('reasoning-delta', { text: 'ret' }),
    chunk('reasoning-end'),
  ];
}

export function deep(): unknown {
  let value: unknown = 0;
  for (let level = 0; level < 1_000; level += 1) value = [value];
  return value;
}

/** Leaks the input of one session into the output of the next. */
export function mixing(): NonNullable<Quirks['chunks']> {
  let kept: ReturnType<NonNullable<Quirks['chunks']>> = [];
  return (right) => {
    if (right.length === 0) return right;
    const deltas = right.filter(({ type }) => type === 'text-delta');
    const out = [
      ...right.filter((chunk) => chunk['type'] !== 'text-end'),
      ...kept,
      ...right.filter(({ type }) => type === 'text-end'),
    ];
    kept = deltas;
    return out;
  };
}

/** Sends text after the end of its part. */
export function late(right: readonly Record<string, unknown>[]): readonly Record<string, unknown>[] {
  const ends = right.filter(({ type }) => type === 'text-end');
  return [...right, ...ends.map((end) => ({ ...end, type: 'text-delta', payload: { id: 'text-1', text: 'late' } }))];
}
