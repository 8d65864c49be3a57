import { describe, expect, test } from 'vitest';
import type { FlushTick } from '../transcript/flush-tick.ts';
import { gatherParts, type Gathering } from './gather-parts.ts';
import type { ModelPart } from './prompt.ts';

const never = new AbortController().signal;
const start: ModelPart = { type: 'text-start', id: 't' };
const end: ModelPart = { type: 'text-end', id: 't' };
const piece = (delta: string): ModelPart => ({ type: 'text-delta', id: 't', delta });
const call: ModelPart = { type: 'tool-call', toolCallId: 'c1', toolName: 'clock', input: '{}' };

/** A stream that a test writes to, and the resulting batches. */
function gatherAll(gathering: Gathering, signal = never) {
  const source = Promise.withResolvers<ReadableStreamDefaultController<ModelPart>>();
  let pulls = 0;
  const stream = new ReadableStream<ModelPart>({ start: source.resolve, pull: () => void (pulls += 1) });
  const batches = gatherParts(stream, signal, gathering);
  return {
    batches,
    pulls: () => pulls,
    async write(...parts: ModelPart[]) {
      for (const part of parts) (await source.promise).enqueue(part);
    },
    close: async () => (await source.promise).close(),
    fail: async (error: unknown) => (await source.promise).error(error),
  };
}

/** Ticks that the test triggers. */
function manualTick() {
  let pending = Promise.withResolvers<void>();
  const asked: (number | undefined)[] = [];
  const tick: FlushTick = { awaitTick: (everyMs) => (asked.push(everyMs), pending.promise) };
  const ring = () => {
    pending.resolve();
    pending = Promise.withResolvers();
  };
  return { tick, asked, ring };
}
const turns = async (count = 5) => {
  for (let at = 0; at < count; at += 1) await new Promise((resolve) => setImmediate(resolve));
};

describe('parts of one turn of the event loop', () => {
  test('are one batch, with the pieces of a part joined', async () => {
    const { batches, write } = gatherAll({ joins: true });
    const first = batches.next();
    await write(start, piece('Hel'), piece('lo'), end);
    expect((await first).value).toEqual([start, piece('Hello'), end]);
  });

  test('stay apart if pieces are not to be joined', async () => {
    const { batches, write } = gatherAll({ joins: false });
    const first = batches.next();
    await write(start, piece('Hel'), piece('lo'));
    expect((await first).value).toEqual([start, piece('Hel'), piece('lo')]);
  });
});

describe('a tick', () => {
  test('is not waited for by the first piece of a part, and gathers the next ones', async () => {
    const { tick, ring } = manualTick();
    const { batches, write } = gatherAll({ joins: true, tick });
    const first = batches.next();
    await write(start, piece('a'));
    expect((await first).value).toEqual([start, piece('a')]);
    let isGiven = false;
    const second = batches.next().finally(() => (isGiven = true));
    await write(piece('b'));
    await turns();
    await write(piece('c'));
    await turns();
    expect(isGiven).toBe(false);
    ring();
    expect((await second).value).toEqual([piece('bc')]);
  });

  test.each([
    ['a call', call],
    ['an end', end],
  ])('is not waited for by %s, which leaves behind the pieces before it', async (_, part) => {
    const { tick } = manualTick();
    const { batches, write } = gatherAll({ joins: true, tick });
    const first = batches.next();
    await write(start, piece('a'));
    await first;
    const second = batches.next();
    await write(piece('b'), part);
    expect((await second).value).toEqual([piece('b'), part]);
  });

  test('is not waited for by the end of the stream', async () => {
    const { tick } = manualTick();
    const { batches, write, close } = gatherAll({ joins: true, tick });
    const first = batches.next();
    await write(start, piece('a'));
    await first;
    const second = batches.next();
    await write(piece('b'));
    await close();
    expect((await second).value).toEqual([piece('b')]);
    expect((await batches.next()).done).toBe(true);
  });

  test('has the interval of the agent', async () => {
    const { tick, asked } = manualTick();
    const { batches, write } = gatherAll({ joins: true, tick, everyMs: 50 });
    const first = batches.next();
    await write(start, piece('a'));
    await first;
    await write(piece('b'));
    await turns();
    expect(asked).toEqual([50]);
  });
});

describe('a stream', () => {
  test('that fails gives the parts before, then its error', async () => {
    const { batches, write, fail } = gatherAll({ joins: true });
    const first = batches.next();
    await write(start, piece('a'));
    await first;
    await write(piece('b'));
    await turns();
    await fail(new Error('cut'));
    expect((await batches.next()).value).toEqual([piece('b')]);
    await expect(batches.next()).rejects.toThrow('cut');
  });

  test('of a provider that ignores the signal ends with the signal', async () => {
    const giveUp = new AbortController();
    const { batches } = gatherAll({ joins: true }, giveUp.signal);
    const first = batches.next();
    giveUp.abort();
    expect((await first).done).toBe(true);
  });

  test('is read no further than a bound while no batch is taken', async () => {
    const giveUp = new AbortController();
    let pulled = 0;
    const pull = (controller: ReadableStreamDefaultController<ModelPart>) => {
      pulled += 1;
      controller.enqueue(call);
    };
    const batches = gatherParts(new ReadableStream({ pull }), giveUp.signal, { joins: true });
    await batches.next();
    await turns(50);
    const before = pulled;
    await turns(50);
    expect(pulled).toBe(before);
    expect(pulled).toBeLessThan(500);
    giveUp.abort();
  });
});
