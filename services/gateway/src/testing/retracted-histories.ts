// Generates the chunks of runs for the property tests of the reducers: parts that start, grow and end, retractions at
// any place, and owners that take a run over.
import type { PositionedChunk } from '@millrace/client';
import type { Chunk } from '@millrace/contracts';
import * as fc from 'fast-check';

type Action = 'step' | 'start' | 'delta' | 'end' | 'reasoning' | { back: number };
type Owner = { actions: readonly Action[]; share: number };

const base = { runId: 'run-1', from: 'AGENT' } as const;
const retract = (index: number): Chunk => ({ ...base, type: 'retract', payload: { index } });
const finish: Chunk = {
  ...base,
  type: 'finish',
  payload: { stepResult: { reason: 'stop' }, output: {}, messages: [] },
};

const action: fc.Arbitrary<Action> = fc.oneof(
  { weight: 1, arbitrary: fc.constant('step' as const) },
  { weight: 2, arbitrary: fc.constantFrom('start' as const, 'end' as const, 'reasoning' as const) },
  { weight: 5, arbitrary: fc.constant('delta' as const) },
  { weight: 2, arbitrary: fc.record({ back: fc.integer({ min: 0, max: 8 }) }) },
);

/** Histories of one to three owners that end with `finish`. One text part is written at a time. */
export const retractedHistory: fc.Arbitrary<PositionedChunk[]> = fc
  .array(
    fc.record({ actions: fc.array(action, { maxLength: 20 }), share: fc.double({ min: 0, max: 1, noNaN: true }) }),
    {
      minLength: 1,
      maxLength: 3,
    },
  )
  .map(writeHistory);

function writeHistory(owners: readonly Owner[]): PositionedChunk[] {
  const history: PositionedChunk[] = [];
  let from = 0;
  let part = 0;
  for (const [at, { actions, share }] of owners.entries()) {
    const chunks: Chunk[] = at === 0 ? [{ ...base, type: 'start', payload: {} }] : [retract(from)];
    for (const one of actions) {
      if (one === 'start') part += 1;
      chunks.push(writeChunk(one, `t${part}`, at + 1, from + chunks.length));
    }
    if (at === owners.length - 1) chunks.push(finish);
    history.push(...chunks.map((chunk, n) => ({ epoch: at + 1, index: from + n, chunk })));
    from += Math.floor(share * chunks.length);
  }
  return history;
}

function writeChunk(one: Action, id: string, epoch: number, index: number): Chunk {
  if (typeof one === 'object') return retract(Math.max(index - one.back, 0));
  switch (one) {
    case 'step':
      return { ...base, type: 'step-start', payload: {} };
    case 'start':
      return { ...base, type: 'text-start', payload: { id } };
    case 'end':
      return { ...base, type: 'text-end', payload: { id } };
    case 'reasoning':
      return { ...base, type: 'reasoning-delta', payload: { id: 'r', text: `[${epoch}:${index}]` } };
    case 'delta':
      return { ...base, type: 'text-delta', payload: { id, text: `${epoch}:${index} ` } };
  }
}

/** Returns the chunks that count: without retractions and what they took back. */
export function keepVisible(history: readonly PositionedChunk[]): PositionedChunk[] {
  let kept: PositionedChunk[] = [];
  for (const one of history) {
    const { chunk } = one;
    kept = chunk.type === 'retract' ? kept.filter(({ index }) => index < chunk.payload.index) : [...kept, one];
  }
  return kept;
}

export const readVisibleText = (history: readonly PositionedChunk[]): string =>
  keepVisible(history)
    .map(({ chunk }) => (chunk.type === 'text-delta' ? chunk.payload.text : ''))
    .join('');
