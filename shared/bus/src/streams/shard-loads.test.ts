import { RUN_SHARDS, createSubjects, computeHomeShard } from '@millrace/contracts';
import { describe, expect, test } from 'vitest';
import { CONGESTED_AT, addCommand, chooseShard, readLoads } from './shard-loads.ts';

const subjects = createSubjects('mr.v1');
const quiet = { tenant: 'quiet', caller: 'ada' };
const noisy = { tenant: 'noisy', caller: 'bob' };
const home = computeHomeShard(quiet);

/** As the stream's info counts them. */
const counts = (shard: number, tenant: string, count: number) => ({ [subjects.runs(shard, tenant)]: count });
const mergeLoads = (...all: Record<string, number>[]) => readLoads('mr.v1', Object.assign({}, ...all));

describe('the shard of a caller’s next command', () => {
  test('is its home shard while nothing is queued', () => {
    expect(chooseShard(mergeLoads(), quiet, 0)).toBe(home);
  });

  test('is its home shard however many commands the caller itself has there', () => {
    expect(chooseShard(mergeLoads(counts(home, 'quiet', 10_000)), quiet, 10_000)).toBe(home);
    // Another process has published them.
    expect(chooseShard(mergeLoads(counts(home, 'quiet', 10_000)), quiet, 4)).toBe(home);
  });

  test('is another shard when another caller of the tenant has a backlog in its home shard', () => {
    expect(chooseShard(mergeLoads(counts(home, 'quiet', CONGESTED_AT + 1)), quiet, 0)).not.toBe(home);
    expect(chooseShard(mergeLoads(counts(home, 'quiet', CONGESTED_AT + 3)), quiet, 3)).toBe(home);
  });

  test('is another shard when other tenants have a backlog in its home shard', () => {
    expect(chooseShard(mergeLoads(counts(home, 'noisy', CONGESTED_AT + 1)), quiet, 0)).not.toBe(home);
    expect(chooseShard(mergeLoads(counts(home, 'noisy', CONGESTED_AT)), quiet, 0)).toBe(home);
  });

  test('is the least loaded one when all shards have a backlog', () => {
    const busy = Array.from({ length: RUN_SHARDS }, (_, shard) => counts(shard, 'noisy', shard === 5 ? 50 : 100));
    expect(chooseShard(mergeLoads(...busy), quiet, 0)).toBe(5);
  });

  test('heeds commands that were published since the counts were read', () => {
    const loads = mergeLoads();
    for (let at = 0; at <= CONGESTED_AT; at += 1) addCommand(loads, home, 'noisy');
    expect(chooseShard(loads, quiet, 0)).not.toBe(home);
    expect(chooseShard(loads, noisy, CONGESTED_AT)).toBe(computeHomeShard(noisy));
  });
});

test('subjects that are not of sharded commands are not counted', () => {
  const loads = readLoads('mr.v1', {
    'mr.v1.runs.acme': 9,
    'mr.v1.runs.16.acme': 9,
    'mr.v1.runs.x.acme': 9,
    'a.runs.3.b': 9,
  });
  expect(loads.reduce((sum, { total }) => sum + total, 0)).toBe(0);
});
