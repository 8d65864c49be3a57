// Generates the chunks of runs for the property tests of the reducers: parts that start, grow and end, retractions at
// any place, and owners that take a run over.
import type { PositionedChunk } from '@millrace/client';
import type { Chunk } from '@millrace/contracts';
import * as fc from 'fast-check';

type Action = 'step' | 'start' | 'delta' | 'end' | 'reasoning' | 'call' | 'result' | { back: number };
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
  { weight: 2, arbitrary: fc.constantFrom('call' as const, 'result' as const) },
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
      // A result belongs to the newest call that has none, if it is visible.
      const call = one === 'result' ? findOpenCall([...history, ...placeChunks(chunks, at + 1, from)]) : undefined;
      if (one === 'result' && call === undefined) continue;
      chunks.push(writeChunk(one, call ?? `t${part}`, at + 1, from + chunks.length));
    }
    if (at === owners.length - 1) chunks.push(finish);
    history.push(...placeChunks(chunks, at + 1, from));
    from += Math.floor(share * chunks.length);
  }
  return history;
}

const placeChunks = (chunks: readonly Chunk[], epoch: number, from: number): PositionedChunk[] =>
  chunks.map((chunk, n) => ({ epoch, index: from + n, chunk }));

function findOpenCall(history: readonly PositionedChunk[]): string | undefined {
  const visible = keepVisible(history).map(({ chunk }) => chunk);
  const ended = visible.flatMap((chunk) => (chunk.type === 'tool-result' ? [chunk.payload.toolCallId] : []));
  const made = visible.flatMap((chunk) => (chunk.type === 'tool-call' ? [chunk.payload.toolCallId] : []));
  return made.findLast((id) => !ended.includes(id));
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
    case 'call':
      return {
        ...base,
        type: 'tool-call',
        payload: { toolCallId: `c${epoch}-${index}`, toolName: 'lookup', args: {} },
      };
    case 'result':
      return {
        ...base,
        type: 'tool-result',
        payload: { toolCallId: id, toolName: 'lookup', result: `${epoch}:${index}` },
      };
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

/** Returns the visible calls with their results; null: none yet. */
export function readVisibleCalls(history: readonly PositionedChunk[]): Record<string, unknown> {
  const calls: Record<string, unknown> = {};
  for (const { chunk } of keepVisible(history)) {
    if (chunk.type === 'tool-call') calls[chunk.payload.toolCallId] = null;
    if (chunk.type === 'tool-result') calls[chunk.payload.toolCallId] = chunk.payload.result;
  }
  return calls;
}

export const readVisibleText = (history: readonly PositionedChunk[]): string =>
  keepVisible(history)
    .map(({ chunk }) => (chunk.type === 'text-delta' ? chunk.payload.text : ''))
    .join('');
