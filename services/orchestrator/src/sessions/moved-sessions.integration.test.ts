// A step with lost sessions in mid-stream, with real replicas: the client's final text, the counts, and the end of
// the step.
import type { PlanEntry } from '@millrace/contracts';
import { eventually, useBus, useNats } from '@millrace/testkit';
import { describe, expect, test } from 'vitest';
import { delta, say, textEnd, makeText, textStart, listTypes } from '../testing/chunks.ts';
import { countUppered } from '../testing/fragile-processors.ts';
import { useFragileSteps } from '../testing/fragile-steps.ts';

const nats = useNats();
const connection = useBus(nats, 'orchestrator');
const { guards, others, step, entry } = useFragileSteps(nats, connection);

describe('a step with a killed replica', () => {
  test('ends as if nothing had happened: published chunks are not repeated, text that was held back stays so', async () => {
    const { chain, chunks, kept, push, shows } = await step(entry('redactor'), entry('upper'));
    push(textStart(), delta('a [secr'));
    await shows('A ');
    await guards.kill();
    push(delta('et] b'));
    await guards.start();
    push(textEnd());
    expect((await chain.end()).stopped).toBeUndefined();
    expect(makeText(chunks)).toBe('A *** B');
    expect(kept).toEqual([]);
    expect(listTypes(chunks)).toEqual(['text-start', 'text-delta', 'text-delta', 'text-end']);
  }, 30_000);

  test('has all its sessions opened again, with the states at its start: nothing is counted twice', async () => {
    const { chain, chunks, kept, push, shows, run } = await step(entry('counter'), entry('other'), entry('upper'));
    run.dispatch({ action: 'states-changed', states: { counter: { count: 0 } } });
    push(delta('a'), delta('b'));
    await shows('AB');
    await guards.kill();
    await guards.start();
    push(delta('c'));
    const { states } = await chain.end();
    expect(states).toMatchObject({ counter: { count: 3 } });
    expect(kept).toEqual([]);
    expect(listTypes(chunks).filter((type) => type === 'data-count')).toHaveLength(3);
    expect(makeText(chunks)).toBe('ABC');
  }, 30_000);

  test('retracts output that differs the second time, from the first difference on', async () => {
    const { chain, chunks, kept, push, shows } = await step(entry('fickle'));
    push(...say('a', 'b', 'c', 'd').slice(0, -1));
    await shows('abcd');
    await guards.kill();
    await guards.start();
    push(delta('e'), textEnd());
    await chain.end();
    expect(kept).toEqual([3]);
    expect(makeText(chunks)).toBe('abCde');
  }, 30_000);

  test('that a processor stops the second time shows nothing beyond the stop', async () => {
    const { chain, chunks, push, shows } = await step(entry('stricter'));
    push(delta('a'), delta('b'), delta('c'), delta('d'));
    await shows('abcd');
    await guards.kill();
    await guards.start();
    expect((await chain.end()).stopped).toMatchObject({ verdict: { type: 'abort', reason: 'no c' } });
    expect(makeText(chunks)).toBe('ab');
  }, 30_000);

  test('ends if its run is stopped during the move', async () => {
    const { chain, push, shows, stop, moves } = await step(entry('upper', { timeoutMs: 60_000 }));
    push(delta('a'));
    await shows('A');
    await guards.kill();
    await eventually(() => moves() === 1);
    stop('cancelled');
    expect((await chain.end()).stopped).toMatchObject({ verdict: { code: 'cancelled' } });
    await expect(chain.awaitRoom()).resolves.toBeUndefined();
  }, 30_000);

  test('fails if more chunks have passed than are kept', async () => {
    const { chain, push, shows, moves } = await step(entry('upper'));
    const long = 'x'.repeat(200_000);
    const pieces = Array.from({ length: 22 }, () => delta(long));
    push(...pieces);
    await shows(long.repeat(pieces.length).toUpperCase());
    await guards.kill();
    expect((await chain.end()).stopped).toMatchObject({ verdict: { type: 'failure', code: 'session-lost' } });
    expect(moves()).toBe(0);
  }, 30_000);
});

describe('a stream processor that breaks', () => {
  test('once is retried while its attempts last', async () => {
    const { chain, chunks, push } = await step(entry('breaks-once'));
    push(delta('a'), delta('bad'), delta('b'));
    const { stopped, outcomes } = await chain.end();
    expect(stopped).toBeUndefined();
    expect(makeText(chunks)).toBe('abadb');
    expect(outcomes).toMatchObject([{ verdict: 'continue', attempts: 2 }]);
  });

  test('at the same chunk again fails the run', async () => {
    const { chain, push, moves } = await step(entry('breaks', { attempts: 3 }));
    push(delta('a'), delta('bad'), delta('b'));
    expect((await chain.end()).stopped).toMatchObject({ verdict: { code: 'processor-failed' } });
    expect(moves()).toBe(2);
  });

  test('by hanging is retried when its time is up', async () => {
    const { chain, chunks, push } = await step(entry('hangs-once', { timeoutMs: 700 }));
    push(delta('a'), delta('bad'), delta('b'));
    expect((await chain.end()).stopped).toBeUndefined();
    expect(makeText(chunks)).toBe('abadb');
  }, 15_000);
});

describe('a stream processor that may be skipped', () => {
  const skip = (name: string, more: Partial<PlanEntry> = {}) =>
    entry(name, { onFailure: 'skip', attempts: 1, timeoutMs: 500, ...more });

  test('and breaks is skipped from there on; its changes stay', async () => {
    const { chain, chunks, kept, push } = await step(skip('upper-breaks'), entry('other'));
    push(textStart(), delta('a'), delta('bad'), delta('b'), textEnd());
    const { stopped, outcomes } = await chain.end();
    expect(stopped).toBeUndefined();
    expect(makeText(chunks)).toBe('Abadb');
    expect(kept).toEqual([]);
    expect(outcomes).toMatchObject([{ entry: 'upper-breaks', verdict: 'failure', skipped: true }, { entry: 'other' }]);
  });

  test('and has changed nothing loses none of the text that it held back', async () => {
    const { chain, chunks, push } = await step(skip('holder-breaks'), entry('upper'));
    push(textStart(), delta('a'), delta('bad'), delta('b'), textEnd());
    expect((await chain.end()).stopped).toBeUndefined();
    expect(makeText(chunks)).toBe('ABADB');
    expect(listTypes(chunks)).toEqual(['text-start', 'text-delta', 'text-delta', 'text-delta', 'text-end']);
  });

  test('and had held back text that it would have changed loses that text, because no processor has judged it', async () => {
    const { chain, chunks, push, shows } = await step(skip('redactor'), entry('other'));
    push(textStart(), delta('a [x] b [secr'));
    await shows('a *** b ');
    await guards.kill();
    push(delta(' c'), textEnd());
    expect((await chain.end()).stopped).toBeUndefined();
    expect(makeText(chunks)).toBe('a *** b  c');
  }, 30_000);

  test('and is lost for good is waited for, and then skipped', async () => {
    const { chain, chunks, push, shows } = await step(skip('upper'), entry('other'));
    push(delta('a'));
    await shows('A');
    await guards.kill();
    push(delta('b'));
    expect((await chain.end()).stopped).toBeUndefined();
    expect(makeText(chunks)).toBe('Ab');
  }, 30_000);

  test('and is not found again at the end of the stream does not keep it from ending', async () => {
    const { chain, chunks, push, shows, moves } = await step(skip('upper'), entry('other'));
    push(delta('a'));
    await shows('A');
    await guards.kill();
    await eventually(() => moves() === 1);
    push(delta('b'));
    expect((await chain.end()).stopped).toBeUndefined();
    expect(makeText(chunks)).toBe('Ab');
  }, 30_000);

  test('never reveals by its absence the text that it removed: if the whole step restarts without it, the run fails', async () => {
    const { chain, chunks, push, shows } = await step(skip('redactor'), entry('other'));
    push(textStart(), delta('a [secret] b'));
    await shows('a *** b');
    await Promise.all([guards.kill(), others.kill()]);
    await others.start();
    push(delta(' c'), textEnd());
    expect((await chain.end()).stopped).toMatchObject({ entry: { entry: 'redactor' }, verdict: { type: 'failure' } });
    expect(makeText(chunks)).toBe('a *** b');
  }, 30_000);

  test('and was absent from the start has no part in the step, and is not waited for again', async () => {
    const { chain, chunks, push, shows } = await step(skip('nobody'), entry('upper'));
    push(delta('a'));
    await shows('A');
    await guards.kill();
    await guards.start();
    push(delta('b'));
    const { stopped, outcomes } = await chain.end();
    expect(stopped).toBeUndefined();
    expect(makeText(chunks)).toBe('AB');
    expect(outcomes).toMatchObject([
      { entry: 'nobody', skipped: true },
      { entry: 'upper', attempts: 2 },
    ]);
  }, 30_000);
});

describe('a replica that is stopped in order', () => {
  test('ends its sessions with the grace of its drain, and they continue at another one', async () => {
    const { chain, chunks, kept, push, shows, discovery, moves } = await step(entry('upper'));
    push(delta('a'));
    await shows('A');
    const leaving = guards.live();
    await guards.start();
    await discovery.refresh();
    const stopping = leaving.stop();
    await eventually(() => moves() === 1);
    push(delta('b'));
    await chain.end();
    await stopping;
    expect(makeText(chunks)).toBe('AB');
    expect(kept).toEqual([]);
  }, 30_000);

  test('is no loss: an idle stream survives the stop of many replicas', async () => {
    const { chain, chunks, kept, push, shows, discovery, moves } = await step(entry('upper'));
    push(delta('a'));
    await shows('A');
    for (let stopped = 1; stopped <= 5; stopped += 1) {
      const leaving = guards.live();
      await guards.start();
      await discovery.refresh();
      await leaving.stop();
      // A replica that stops before the session is open there belongs to the same move.
      await eventually(() => moves() === stopped && countUppered() === stopped + 1);
    }
    push(delta('b'));
    expect((await chain.end()).stopped).toBeUndefined();
    expect(makeText(chunks)).toBe('AB');
    expect(kept).toEqual([]);
  }, 30_000);

  test('and is the only one serves them to their end', async () => {
    const { chain, chunks, push, shows, moves } = await step(entry('upper'));
    push(delta('a'));
    await shows('A');
    const stopping = guards.live().stop();
    push(delta('b'));
    expect((await chain.end()).stopped).toBeUndefined();
    await stopping;
    expect(makeText(chunks)).toBe('AB');
    expect(moves()).toBe(0);
    await guards.start();
  }, 30_000);
});
