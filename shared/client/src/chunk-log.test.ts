import { setImmediate } from 'node:timers/promises';
import { MillraceError } from '@millrace/contracts';
import { expect, test } from 'vitest';
import { createChunkLog } from './chunk-log.ts';
import { text } from './testing/run-history.ts';

const chunk = (index: number) => ({ epoch: 1, index, chunk: text(String(index)) });
const numbered = (from: number, to: number) => Array.from({ length: to - from }, (_, at) => chunk(from + at));
const collect = async (read: AsyncIterable<{ index: number }>) => {
  const indexes: number[] = [];
  for await (const { index } of read) indexes.push(index);
  return indexes;
};

test('gives every reader everything, whether it was there first or comes when all is over', async () => {
  const log = createChunkLog();
  const early = collect(log.read());
  log.append(numbered(0, 2));
  const midway = collect(log.read());
  log.append(numbered(2, 3));
  log.end();
  expect(await Promise.all([early, midway, collect(log.read())])).toEqual([
    [0, 1, 2],
    [0, 1, 2],
    [0, 1, 2],
  ]);
});

test('gives what is there before the error that it ended with', async () => {
  const log = createChunkLog();
  log.append(numbered(0, 2));
  log.fail(new MillraceError('chunks-gone', 'gone'));
  const seen: number[] = [];
  const reading = (async () => {
    for await (const { index } of log.read()) seen.push(index);
  })();
  await expect(reading).rejects.toMatchObject({ code: 'chunks-gone' });
  expect(seen).toEqual([0, 1]);
  expect(await log.outcome).toMatchObject({ code: 'chunks-gone' });
});

test('keeps a bound, and tells a reader that is behind it where to come back, instead of skipping in silence', async () => {
  const log = createChunkLog(undefined, 100);
  log.append(numbered(0, 1));
  const slow = log.read();
  expect((await slow.next()).value).toMatchObject({ index: 0 });
  log.append(numbered(1, 101));
  await expect(slow.next()).rejects.toMatchObject({ code: 'chunks-gone', from: { epoch: 1, index: 1 } });
  await expect(collect(log.read())).rejects.toMatchObject({ code: 'chunks-gone', from: { epoch: 1, index: 0 } });
});

test('keeps as many as it says for a reader that keeps up', async () => {
  const log = createChunkLog(undefined, 10);
  const reading = collect(log.read());
  for (let index = 0; index < 50; index += 1) {
    log.append([chunk(index)]);
    await setImmediate();
  }
  log.end();
  expect(await reading).toEqual(Array.from({ length: 50 }, (_, index) => index));
});

test('stays as it ended: what comes later changes nothing', async () => {
  const log = createChunkLog();
  log.end();
  log.append(numbered(0, 1));
  log.fail(new MillraceError('timeout', 'late'));
  expect(await collect(log.read())).toEqual([]);
  expect(await log.outcome).toBeUndefined();
});

test('lets a reader leave in the middle without harm to the others', async () => {
  const log = createChunkLog();
  log.append(numbered(0, 3));
  for await (const { index } of log.read()) if (index === 1) break;
  log.end();
  expect(await collect(log.read())).toEqual([0, 1, 2]);
});
