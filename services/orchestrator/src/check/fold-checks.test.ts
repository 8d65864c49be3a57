import { describe, expect, test } from 'vitest';
import { countUndecided, foldChecks } from './fold-checks.ts';

const pass = (...texts: string[]) => ({ texts, violations: [], usage: [] });
const find = (count: number) => ({
  ...pass('x'),
  violations: [{ processorId: 'pii', rule: 'card', count }],
  usage: [{ entry: 'judge', modelCalls: count, inputTokens: 10, outputTokens: 1 }],
});

describe('foldChecks', () => {
  test('An unchanged text passes, and one changed text among several is a change', () => {
    expect(foldChecks(['a', 'b'], [pass('a'), pass('b')])).toMatchObject({ action: 'pass', texts: ['a', 'b'] });
    expect(foldChecks(['a', 'b'], [pass('a'), pass('c')])).toMatchObject({ action: 'changed', texts: ['a', 'c'] });
  });

  test('A removed text is a change', () => {
    expect(foldChecks(['a'], [pass('')])).toMatchObject({ action: 'changed', texts: [''] });
  });

  test('One block blocks the check, and the answer holds no text', () => {
    const blocked = { ...pass(), block: { reason: 'No.', processor: 'guard' } };
    expect(foldChecks(['a', 'b'], [pass('a'), blocked], [0, 0])).toEqual({
      action: 'block',
      texts: [],
      reason: 'No.',
      processor: 'guard',
      violations: [],
      usage: [],
    });
  });

  test('Violations and model calls are added up by processor and rule', () => {
    expect(foldChecks(['x', 'x'], [find(2), find(3)])).toMatchObject({
      violations: [{ processorId: 'pii', rule: 'card', count: 5 }],
      usage: [{ entry: 'judge', modelCalls: 5, inputTokens: 20, outputTokens: 2 }],
    });
  });
});

describe('countUndecided', () => {
  test.each([
    ['', '', 0],
    ['abc', 'abc', 0],
    ['', 'abc', 3],
    ['My card is ', 'My card is 4111', 4],
    ['My card is ', 'My card is [REDACTED].', 11],
    ['other', 'text', 4],
    ['longer than', 'longer', 0],
    // The first half of the pair is equal.
    ['a\u{1F600}', 'a\u{1F601}', 2],
  ])('of %j and %j, %j is undecided', (decided, whole, count) => {
    expect(countUndecided(decided, whole)).toBe(count);
  });
});
