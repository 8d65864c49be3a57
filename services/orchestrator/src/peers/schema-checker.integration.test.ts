import { describe, expect, test } from 'vitest';
import { createSchemaChecker } from './schema-checker.ts';
import { readUsedMs } from '@millrace/models/within-time';

describe('schemas of callers', () => {
  test('A valid schema has no problem, an invalid one has that of the compiler', async () => {
    const { check } = createSchemaChecker();
    expect(await check({ type: 'object', properties: { a: { type: 'string' } } })).toBeUndefined();
    expect(await check({ type: 'no-type' })).toMatch(/type/);
    expect(await check({ $ref: '#/$defs/none' })).toMatch(/none/);
  });

  test('A schema whose compilation takes long costs this thread no time', async () => {
    const { check } = createSchemaChecker();
    await check({});
    const level = (depth: number): object =>
      depth === 0 ? { type: 'string' } : { anyOf: Array.from({ length: 6 }, () => level(depth - 1)) };
    const schema = JSON.parse(JSON.stringify(level(5)));
    const before = readUsedMs();
    expect(await check(schema)).toMatch(/longer than 100 ms/);
    expect(readUsedMs() - before).toBeLessThan(60);
  });

  test('More schemas than may wait are refused with a time for the retry', async () => {
    const { check } = createSchemaChecker({ maxWaiting: 2 });
    const all = await Promise.allSettled([1, 2, 3].map((minimum) => check({ minimum })));
    expect(all.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected']);
    expect(all[2]).toMatchObject({ reason: { code: 'queue-full', retryAfterMs: expect.any(Number) } });
  });

  test('A thread that does not answer ends, and the next schema has a new one', async () => {
    const silent = createSchemaChecker({
      module: new URL('data:text/javascript,setInterval(()=>{},1000)'),
      maxWaitMs: 50,
    });
    await expect(silent.check({})).rejects.toMatchObject({ code: 'timeout' });
    await expect(silent.check({})).rejects.toMatchObject({ code: 'timeout' });
  });
});
