// Observing entries over the real bus: called at their position, never waited for, without any effect on the run.
import {
  buildTextMessage,
  type Chunk,
  type PlanEntry,
  type StageCall,
  type StageInput,
  type Verdict,
} from '@millrace/contracts';
import { defineMethods, eventually, type Processor, useBus, useNats, useProcessors } from '@millrace/testkit';
import { describe, expect, test } from 'vitest';
import { dataChunk, delta, say } from '../testing/chunks.ts';
import { planEntry } from '../testing/plan-entries.ts';
import { goOn, scriptReplica } from '../testing/scripted-replica.ts';
import { createTestRun } from '../testing/test-run.ts';
import { guardChunks } from './guard-chunks.ts';
import { openOutputChain } from './output-chain.ts';
import { runStage } from '../stages/run-stage.ts';

const nats = useNats();
const connection = useBus(nats, 'orchestrator');

const seen = new Map<string, string[]>();
const streaming = (id: string, method: NonNullable<Processor['processOutputStream']>) =>
  defineMethods(id, { processOutputStream: method });
const textIn = (part: Chunk) => (part.type === 'text-delta' ? part.payload.text : '');
useProcessors(nats, [
  streaming('upper', ({ part }) => (part.type === 'text-delta' ? delta(textIn(part).toUpperCase()) : part)),
  streaming('exclaim', ({ part }) => (part.type === 'text-delta' ? delta(`${textIn(part)}!`) : part)),
  streaming('ear', ({ part, entry, state, onViolation }) => {
    if (part.type !== 'text-delta') return part;
    seen.set(entry, [...(seen.get(entry) ?? []), textIn(part)]);
    state['heard'] = Number(state['heard'] ?? 0) + 1;
    onViolation({ message: 'heard' });
    return null;
  }),
  streaming('blocker', ({ abort }) => abort('stop')),
]);

const observer = (name: string, more: Partial<PlanEntry> = {}) =>
  planEntry(name, { observe: true, timeoutMs: 20_000, attempts: 1, reads: ['input'], ...more });
async function observeEntry(script: (call: StageCall) => Promise<Verdict[]> | Verdict[]) {
  const [stage, before, after] = ['processInput', 'first', 'last'] as const;
  const received: StageCall[] = [];
  const answer = (call: StageCall) => (received.push(call), script(call));
  for (const name of [before, 'watcher', after]) scriptReplica(connection.bus, stage, [name], answer);
  const entries = [
    planEntry(before, { stages: [stage], reads: ['input'] }),
    observer('watcher', { stages: [stage] }),
    planEntry(after, { stages: [stage] }),
  ];
  const made = createTestRun({ bus: connection.bus, entries });
  await connection.bus.nc.flush();
  const { conversation, retryCount } = made.run.getState();
  const input: StageInput = { retryCount, stepNumber: 0, conversation };
  const sunk: Chunk[] = [];
  const ask = () => runStage(made.run, stage, input, { sink: async (chunks) => void sunk.push(...chunks) });
  const outcomes = () => made.events.flatMap((event) => (event.event === 'stage' ? event.entries : []));
  const listTold = () => outcomes().filter(({ entry }) => entry === 'watcher');
  return { ...made, received, sunk, ask, told: listTold, outcomes };
}
const isWatcher = ({ entries }: StageCall) => entries[0]?.entry === 'watcher';

describe('an entry that observes a stage', () => {
  test('receives the input at its position, and the run does not wait for it', async () => {
    const gate = Promise.withResolvers<void>();
    const change: Verdict = {
      type: 'continue',
      changes: { ops: [{ op: 'replace', message: buildTextMessage('m1', 'user', 'changed') }] },
    };
    const { ask, received, told, run } = await observeEntry(async (call) => {
      if (!isWatcher(call)) return call.entries[0]?.entry === 'first' ? [change] : [goOn];
      await gate.promise;
      return [goOn];
    });
    expect((await ask()).interrupt).toBeUndefined();
    await eventually(() => received.length === 3);
    expect(JSON.stringify(received.find(isWatcher)?.input)).toContain('changed');
    expect(told()).toEqual([]);
    gate.resolve();
    await run.observers.end(10_000);
    expect(told()).toMatchObject([{ verdict: 'continue', observed: true, attempts: 1 }]);
  });

  test.each<Verdict>([
    { type: 'abort', reason: 'no' },
    { type: 'halt', response: 'text' },
    { type: 'failure', code: 'processor-failed', message: 'broken', retryable: false },
    { type: 'suspend', payload: 1 },
    {
      type: 'continue',
      changes: { ops: [{ op: 'remove', ids: ['m1'] }] },
      data: [dataChunk('found')],
      violations: [{ processorId: 'x', message: 'hm' }],
    },
  ])('stops, changes and shows nothing, whatever its verdict is: %j', async (verdict) => {
    const { ask, run, sunk, told } = await observeEntry((call) => [isWatcher(call) ? verdict : goOn]);
    expect((await ask()).interrupt).toBeUndefined();
    await run.observers.end(10_000);
    expect(told()).toMatchObject([{ verdict: verdict.type, observed: true }]);
    expect(run.getState()).toMatchObject({ violations: [], pending: [] });
    expect(run.getState().conversation.entries).toHaveLength(1);
    expect(sunk).toEqual([]);
  });

  test('has its violations in its event, and its state for its next call', async () => {
    const { ask, run, told, received } = await observeEntry((call) =>
      isWatcher(call)
        ? [
            {
              type: 'continue',
              state: { calls: Number(call.entries[0]?.state['calls'] ?? 0) + 1 },
              violations: [{ processorId: 'x', message: 'hm' }],
            },
          ]
        : [goOn],
    );
    await ask();
    await ask();
    await run.observers.end(10_000);
    expect(received.filter(isWatcher).map(({ entries }) => entries[0]?.state)).toEqual([{}, { calls: 1 }]);
    expect(run.getState().states['watcher']).toEqual({ calls: 2 });
    expect(told()[0]?.violations).toMatchObject([{ processorId: 'watcher', message: 'hm' }]);
  });

  test('is called within the bound of its queue: a dropped call is an event', async () => {
    const gate = Promise.withResolvers<void>();
    const { ask, told, run } = await observeEntry(async (call) =>
      isWatcher(call) ? (await gate.promise, [goOn]) : [goOn],
    );
    for (let at = 0; at < 67; at += 1) await ask();
    expect(told()).toMatchObject([{ verdict: 'dropped', attempts: 0 }, { verdict: 'dropped' }]);
    gate.resolve();
    await run.observers.end(20_000);
    expect(told()).toHaveLength(67);
  });

  test('that hangs is abandoned after the run, as an event', async () => {
    const { ask, told, run, received } = await observeEntry((call) =>
      isWatcher(call) ? new Promise(() => undefined) : [goOn],
    );
    await ask();
    await eventually(() => received.some(isWatcher));
    await run.observers.end(0);
    expect(told()).toMatchObject([{ verdict: expect.stringMatching(/cancelled|failure/), observed: true }]);
  });
});

describe('an entry that observes the stream', () => {
  const at = (name: string, processor: string, more: Partial<PlanEntry> = {}) =>
    planEntry(name, { processor, service: 'test-processors', stages: ['processOutputStream'], ...more });
  const ears = [
    at('ear-1', 'ear', { observe: true }),
    at('upper', 'upper'),
    at('ear-2', 'ear', { observe: true }),
    at('exclaim', 'exclaim'),
    at('ear-3', 'ear', { observe: true }),
  ];
  const buildRun = (entries: PlanEntry[]) => {
    seen.clear();
    const run = createTestRun({ bus: connection.bus, entries, discovery: { isServedTogether: () => true } });
    return run;
  };
  const stream = async (entries: PlanEntry[], ...pieces: string[]) => {
    const test = buildRun(entries);
    const out: Chunk[] = [];
    const chain = await openOutputChain(
      test.run,
      { retryCount: 0, stepNumber: 0 },
      { output: (chunks) => void out.push(...chunks), retract: () => undefined, listPassed: () => out },
    );
    chain.push(say(...pieces));
    const fold = await chain.end();
    chain.drop();
    return { ...test, fold, text: out.map(textIn).join('') };
  };

  test('receives a step’s chunks at its position, also between processors of one replica', async () => {
    const { text, run, events } = await stream(ears, 'a', 'b');
    expect(text).toBe('A!B!');
    await run.observers.end(10_000);
    expect(Object.fromEntries(seen)).toEqual({ 'ear-1': ['a', 'b'], 'ear-2': ['A', 'B'], 'ear-3': ['A!', 'B!'] });
    expect(run.getState()).toMatchObject({ states: { 'ear-1': { heard: 2 } }, violations: [] });
    expect(events).toContainEqual(
      expect.objectContaining({
        stage: 'processOutputStream',
        entries: [expect.objectContaining({ entry: 'ear-2', observed: true, violations: expect.any(Array) })],
      }),
    );
  });

  test('alone passes everything unchanged', async () => {
    const { text, run } = await stream([at('ear', 'ear', { observe: true })], 'a', 'b');
    expect(text).toBe('ab');
    await run.observers.end(10_000);
    expect(seen.get('ear')).toEqual(['a', 'b']);
  });

  test('sees no chunk that a processor before it has not passed', async () => {
    const { fold, run } = await stream([at('blocker', 'blocker'), at('ear', 'ear', { observe: true })], 'secret');
    expect(fold.stopped?.verdict.type).toBe('abort');
    await run.observers.end(10_000);
    expect(seen.size).toBe(0);
  });

  test('sees batches at its position too', async () => {
    const test = buildRun(ears);
    const { chunks } = await guardChunks(test.run, [delta('x')]);
    expect(chunks.map(textIn)).toEqual(['X!']);
    await test.run.observers.end(10_000);
    expect(Object.fromEntries(seen)).toEqual({ 'ear-1': ['x'], 'ear-2': ['X'], 'ear-3': ['X!'] });
  });
});
