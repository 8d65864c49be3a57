import { expect, test } from 'vitest';
import { dataChunk, listTypes } from '../testing/chunks.ts';
import { fail, type Interrupt } from '../state/interrupt.ts';
import { createOrderedSink } from './ordered-sink.ts';

const stop: Interrupt = fail({ code: 'internal', message: 'stop' });

test('an ordered sink sends chunks one after the other, however long each takes', async () => {
  const out: string[] = [];
  const gate = Promise.withResolvers<void>();
  const sink = createOrderedSink(async (chunks) => {
    if (out.length === 0) await gate.promise;
    out.push(...listTypes(chunks));
    return undefined;
  });
  sink.send([dataChunk('1')]);
  sink.send([dataChunk('2'), dataChunk('3')]);
  gate.resolve();
  expect(await sink.flush()).toBeUndefined();
  expect(out).toEqual(['data-1', 'data-2', 'data-3']);
});

test('an ordered sink keeps the first interrupt, and sends nothing after it', async () => {
  const out: string[] = [];
  let stopped = 0;
  const sink = createOrderedSink(
    async (chunks) => {
      out.push(...listTypes(chunks));
      return stop;
    },
    () => (stopped += 1),
  );
  sink.send([dataChunk('1')]);
  sink.send([dataChunk('2')]);
  expect(await sink.flush()).toBe(stop);
  expect(await sink.flush()).toBe(stop);
  expect(out).toEqual(['data-1']);
  expect(stopped).toBe(1);
});

test('an ordered sink that breaks returns an interrupt with the reason, and no unhandled rejection', async () => {
  const sink = createOrderedSink(() => Promise.reject(new Error('too large')));
  sink.send([dataChunk('1')]);
  // The rejection exists before a caller asks for it.
  await new Promise((resolve) => setImmediate(resolve));
  expect(await sink.flush()).toMatchObject({
    form: 'error',
    error: { code: 'internal', message: 'too large' },
  });
});
