// Lists far longer than an agent may have: an order costs time in proportion.
import { describe, expect, test } from 'vitest';
import { orderEntries, type Placed } from './entry-order.ts';

describe('a long list', () => {
  /** Ten times what an agent may have; in cubic time this takes half a minute. */
  const LENGTH = 2_560;
  const inTime = (entries: readonly Placed[]) => {
    const started = performance.now();
    const result = orderEntries('input', entries);
    expect(performance.now() - started).toBeLessThan(10_000);
    return result;
  };
  const chain = (target: (at: number) => string) =>
    Array.from({ length: LENGTH }, (_, at): Placed => {
      const name = `e${at}`;
      return { name, processor: 'p', path: `input[${at}]`, ...(at < LENGTH - 1 && { after: target(at) }) };
    });

  test('whose entries each name the next is in order in bounded time', () => {
    const { ordered, issues } = inTime(chain((at) => `e${at + 1}`));
    expect(issues).toEqual([]);
    expect(ordered.map(({ name }) => name)).toEqual(Array.from({ length: LENGTH }, (_, at) => `e${LENGTH - 1 - at}`));
  });

  test('whose entries wait for all of one processor is refused in bounded time, with some of the names', () => {
    const { issues } = inTime(chain(() => 'p'));
    expect(issues).toMatchObject([
      { code: 'entry-cycle', message: expect.stringContaining('more wait for each other') },
    ]);
    expect(issues[0]?.message.length).toBeLessThan(500);
  });
});
