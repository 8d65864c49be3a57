// Observers of a step's stream over the real bus: they may lag, but they never block the stream and never see a gap.
import { type Chunk, type PlanEntry } from '@millrace/contracts';
import { defineMethods, eventually, useBus, useNats, useProcessors } from '@millrace/testkit';
import { beforeEach, describe, expect, test } from 'vitest';
import { delta, say } from '../testing/chunks.ts';
import { planEntry } from '../testing/plan-entries.ts';
import { createTestRun } from '../testing/test-run.ts';
import { openOutputChain } from './output-chain.ts';
import { createStepObservers } from './step-observers.ts';

const nats = useNats();
const connection = useBus(nats, 'orchestrator');
const input = { retryCount: 0, stepNumber: 0 };

let calls: string[] = [];
let gate = Promise.withResolvers<void>();
beforeEach(() => {
  calls = [];
  gate = Promise.withResolvers<void>();
});
const textIn = (part: Chunk) => (part.type === 'text-delta' ? part.payload.text : '');
const hears = (id: string, waits: boolean) =>
  defineMethods(id, {
    processOutputStream: async ({ part, state, writer, abort }) => {
      calls.push(textIn(part));
      if (waits) await gate.promise;
      state['heard'] = (typeof state['heard'] === 'string' ? state['heard'] : '') + textIn(part);
      await writer.custom({ type: 'data-heard', data: {} });
      return textIn(part) === 'STOP' ? abort('heard enough') : null;
    },
  });
useProcessors(nats, [hears('ear', false), hears('slow', true)]);

const observer = (processor: string, more: Partial<PlanEntry> = {}) =>
  planEntry(processor, { observe: true, service: 'test-processors', stages: ['processOutputStream'], ...more });
const observeEntry = (entry: PlanEntry) => {
  const made = createTestRun({ bus: connection.bus, entries: [entry] });
  const verdicts = () =>
    made.events.flatMap((event) => (event.event === 'stage' ? event.entries.map(({ verdict }) => verdict) : []));
  return { ...made, verdicts, heard: () => made.run.getState().states[entry.entry]?.['heard'] };
};
async function streamTo(entry: PlanEntry) {
  const made = observeEntry(entry);
  const out: Chunk[] = [];
  const output = (chunks: readonly Chunk[]) => void out.push(...chunks);
  const to = { output, retract: () => undefined, listPassed: () => out };
  return { ...made, out, chain: await openOutputChain(made.run, input, to) };
}

describe('an entry that observes the stream', () => {
  test('receives the chunks as they arrive, in one session, and returns its state at the end', async () => {
    const { chain, run, heard, verdicts, out } = await streamTo(observer('ear'));
    chain.push([delta('a')]);
    await eventually(() => calls.length === 1);
    chain.push([delta('b')]);
    await eventually(() => calls.length === 2);
    expect(heard()).toBeUndefined();
    await chain.end();
    await run.observers.end(10_000);
    expect([heard(), verdicts(), out.map(textIn)]).toEqual(['ab', ['continue'], ['a', 'b']]);
    expect(out.filter(({ type }) => type.startsWith('data-'))).toEqual([]);
  });

  test('that is slow delays nothing, and receives all waiting chunks in fewer pieces', async () => {
    const { chain, run, heard, out } = await streamTo(observer('slow', { timeoutMs: 20_000 }));
    const words = Array.from({ length: 300 }, (_, at) => `${at} `);
    for (const word of words) {
      chain.push([delta(word)]);
      await chain.awaitRoom();
      await new Promise(setImmediate);
    }
    expect((await chain.end()).stopped).toBeUndefined();
    expect(out.map(textIn).join('')).toBe(words.join(''));
    expect(calls.length).toBeLessThan(2);
    gate.resolve();
    await run.observers.end(20_000);
    expect(heard()).toBe(words.join(''));
    expect(calls.length).toBeLessThan(50);
  });

  test('that lags too far receives no more chunks: its session ends without a verdict, and an event reports that', async () => {
    const { chain, run, heard, verdicts, out } = await streamTo(observer('slow', { timeoutMs: 20_000 }));
    chain.push(say('first'));
    await eventually(() => calls.length === 1);
    for (let at = 0; at < 70; at += 1) {
      chain.push(say('x'));
      await new Promise(setImmediate);
    }
    expect(verdicts()).toEqual(['dropped']);
    gate.resolve();
    await chain.end();
    await run.observers.end(10_000);
    expect(out).toHaveLength(71 * 3);
    expect([heard(), verdicts()]).toEqual([undefined, ['dropped']]);
  });

  test('that stops ends only its own session, whatever follows', async () => {
    const { chain, run, verdicts, out } = await streamTo(observer('ear'));
    chain.push([delta('STOP')]);
    await eventually(() => verdicts().length === 1);
    for (let at = 0; at < 70; at += 1) chain.push(say('x'));
    expect((await chain.end()).stopped).toBeUndefined();
    await run.observers.end(10_000);
    expect(verdicts()).toEqual(['abort']);
    expect(out).toHaveLength(1 + 70 * 3);
    expect(calls).toEqual(['STOP']);
  });

  test('that hangs is abandoned with the run', async () => {
    const { chain, run, verdicts } = await streamTo(observer('slow', { timeoutMs: 20_000 }));
    chain.push([delta('a')]);
    await eventually(() => calls.length === 1);
    await chain.end();
    await run.observers.end(0);
    expect(verdicts()).toEqual(['cancelled']);
  });

  test('sees a restarted stream from its first chunk on, with the state at the step’s start', async () => {
    const { run, heard, verdicts } = observeEntry(observer('ear'));
    const observers = createStepObservers(run, input);
    observers.watch([])(0, [delta('a')]);
    await eventually(() => calls.length === 1);
    const see = observers.watch([]);
    see(0, [delta('a')]);
    see(0, [delta('b')]);
    observers.end();
    await run.observers.end(10_000);
    expect([calls.join(''), heard(), verdicts()]).toEqual(['aab', 'ab', ['continue']]);
  });
});
