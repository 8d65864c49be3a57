// Lists far above the limit of an agent: the processor time of an order is proportional to the length.
import { describe, expect, test } from 'vitest';
import { orderEntries, type PlacedEntry } from './entry-order.ts';

describe('a long list', () => {
  /** Ten times the limit of an agent; in cubic time an order takes half a minute. */
  const LENGTH = 2_560;
  const inTime = (entries: readonly PlacedEntry[]) => {
    const before = process.cpuUsage();
    const result = orderEntries('input', entries, new Map());
    expect(process.cpuUsage(before).user).toBeLessThan(10_000_000);
    return result;
  };
  const chain = (target: (at: number) => string) =>
    Array.from({ length: LENGTH }, (_, at): PlacedEntry => {
      const name = `e${at}`;
      return { name, processor: 'p', path: `input[${at}]`, ...(at < LENGTH - 1 && { after: target(at) }) };
    });

  test('with entries that each name the next one is ordered in bounded time', () => {
    const { ordered, issues } = inTime(chain((at) => `e${at + 1}`));
    expect(issues).toEqual([]);
    expect(ordered.map(({ name }) => name)).toEqual(Array.from({ length: LENGTH }, (_, at) => `e${LENGTH - 1 - at}`));
  });

  test('with entries that wait for all entries of one processor is refused in bounded time, with some of the names', () => {
    const { issues } = inTime(chain(() => 'p'));
    expect(issues).toMatchObject([
      { code: 'entry-cycle', message: expect.stringContaining('more wait for each other') },
    ]);
    expect(issues[0]?.message.length).toBeLessThan(500);
  });
});
