import { setImmediate } from 'node:timers/promises';
import { MillraceError } from '@millrace/contracts';
import { expect, test } from 'vitest';
import { createChunkLog } from './chunk-log.ts';
import { text } from './testing/run-history.ts';

const chunk = (index: number) => ({ epoch: 1, index, chunk: text(String(index)) });
const buildNumbered = (from: number, to: number) => Array.from({ length: to - from }, (_, at) => chunk(from + at));
const collect = async (read: AsyncIterable<{ index: number }>) => {
  const indexes: number[] = [];
  for await (const { index } of read) indexes.push(index);
  return indexes;
};

test('The log passes all chunks to every reader, early or late', async () => {
  const log = createChunkLog();
  const early = collect(log.read());
  log.append(buildNumbered(0, 2));
  const midway = collect(log.read());
  log.append(buildNumbered(2, 3));
  log.end();
  expect(await Promise.all([early, midway, collect(log.read())])).toEqual([
    [0, 1, 2],
    [0, 1, 2],
    [0, 1, 2],
  ]);
});

test('The log passes the available chunks before its final error', async () => {
  const log = createChunkLog();
  log.append(buildNumbered(0, 2));
  log.fail(new MillraceError('chunks-gone', 'gone'));
  const seen: number[] = [];
  const reading = (async () => {
    for await (const { index } of log.read()) seen.push(index);
  })();
  await expect(reading).rejects.toMatchObject({ code: 'chunks-gone' });
  expect(seen).toEqual([0, 1]);
  expect(await log.outcome).toMatchObject({ code: 'chunks-gone' });
});

test('The log is bounded and sends a slow reader the position to resume from, instead of skipping chunks silently', async () => {
  const log = createChunkLog(undefined, { chunks: 100, bytes: 1_000_000 });
  log.append(buildNumbered(0, 1));
  const slow = log.read();
  expect((await slow.next()).value).toMatchObject({ index: 0 });
  log.append(buildNumbered(1, 101));
  log.append(buildNumbered(101, 102));
  await expect(slow.next()).rejects.toMatchObject({ code: 'chunks-gone', from: { epoch: 1, index: 1 } });
  await expect(collect(log.read())).rejects.toMatchObject({ code: 'chunks-gone', from: { epoch: 1, index: 0 } });
});

test('The log is bounded by the bytes of its chunks, whatever their type', async () => {
  const log = createChunkLog(undefined, { chunks: 100, bytes: 150_000 });
  const large = 'x'.repeat(20_000);
  const start = { type: 'text-start' as const, runId: 'run-1', from: 'AGENT' as const, payload: { id: 't', large } };
  const named = {
    type: 'text-delta' as const,
    runId: 'run-1',
    from: 'AGENT' as const,
    payload: { id: large, text: 'x' },
  };
  const extended = { ...text('x'), providerMetadata: { large } };
  for (const [index, one] of [text(large), start, named, extended].entries())
    log.append([{ epoch: 1, index, chunk: one }]);
  log.end();
  const late = log.readBatches();
  await expect(late.next()).rejects.toMatchObject({ code: 'chunks-gone', from: { epoch: 1, index: 0 } });
});

test('A replay of more chunks than the bound reaches its reader, also without an earlier chunk', async () => {
  const log = createChunkLog(undefined, { chunks: 10, bytes: 1_000_000 });
  const reading = collect(log.read());
  log.append(buildNumbered(0, 50));
  log.end();
  expect(await reading).toHaveLength(50);
});

test('The log keeps its maximum number of chunks for a fast reader', async () => {
  const log = createChunkLog(undefined, { chunks: 10, bytes: 1_000_000 });
  const reading = collect(log.read());
  for (let index = 0; index < 50; index += 1) {
    log.append([chunk(index)]);
    await setImmediate();
  }
  log.end();
  expect(await reading).toEqual(Array.from({ length: 50 }, (_, index) => index));
});

test('An ended log ignores later chunks', async () => {
  const log = createChunkLog();
  log.end();
  log.append(buildNumbered(0, 1));
  log.fail(new MillraceError('timeout', 'late'));
  expect(await collect(log.read())).toEqual([]);
  expect(await log.outcome).toBeUndefined();
});

test('A reader may leave early without an effect on others', async () => {
  const log = createChunkLog();
  log.append(buildNumbered(0, 3));
  for await (const { index } of log.read()) if (index === 1) break;
  log.end();
  expect(await collect(log.read())).toEqual([0, 1, 2]);
});
