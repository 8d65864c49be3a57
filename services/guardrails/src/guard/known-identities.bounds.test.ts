import { inputArgs } from '@millrace/testkit';
import { afterAll, describe, expect, test } from 'vitest';
import { pii } from '../guards/pii/pii.ts';
import { countTurns } from '../testing/messages.ts';
import { closeThreads } from '../work/task.ts';
import { hashIdentity, MAX_PLAIN } from './identity.ts';
import { judgeInput } from './judge-stages.ts';
import { COST_PER_TURN, loadIdentities } from './known-identities.ts';
import type { TextGuard } from './text-guard.ts';

afterAll(closeThreads);

const { signal } = new AbortController();
const COUNT = 9_000;
const values = Array.from({ length: COUNT }, (_, at) => `ada${10_000 + at}@example.com`);
const text = values.join(' ');
const hits = values.map((value, at) => {
  const start = at * (value.length + 1);
  return { rule: 'email', start, end: start + value.length };
});

describe('identities of hits', () => {
  test('loadIdentities returns the identities of the values, cached or new', async () => {
    const identify = await loadIdentities(new Map([[text, [hits]]]), signal);
    for (const value of [values[0] ?? '', 'ADA10000@example.com', 'bob@example.com'])
      expect(identify('email', value)).toBe(hashIdentity('email', value));
  });
  test('loadIdentities yields to the event loop, after fewer long values than short ones', async () => {
    const long = { rule: 'email', start: 0, end: COST_PER_TURN };
    const found = new Map([
      [text, [hits]],
      ['x'.repeat(COST_PER_TURN), [[long]]],
    ]);
    expect(await countTurns(() => loadIdentities(found, signal))).toBeGreaterThan((COUNT * 64) / COST_PER_TURN);
  });
  test('loadIdentities stops when its call is aborted', async () => {
    const found = new Map([[text, [hits]]]);
    await expect(loadIdentities(found, AbortSignal.abort())).rejects.toThrow('aborted');
  });
});

const SLICES = (COUNT * 64) / COST_PER_TURN;
test.each([
  ['warns of them', { strategy: 'warn' as const }, SLICES],
  ['marks them by their kinds', { strategy: 'redact' as const, identifies: true }, SLICES],
  ['marks them all alike', { strategy: 'redact' as const }, 2],
])('a guard that found thousands of values and %s yields to other calls', async (_, how, turns) => {
  const guard: TextGuard = {
    ...how,
    task: { runNow: () => [], run: async (texts) => ({ found: texts.map((one) => (one === text ? [hits] : [])) }) },
    rules: [],
    describe: () => '',
    mark: (hit, value, _state, identify) => identify(hit.rule, value),
    mapValue: (value, map) => (typeof value === 'string' ? map(value) : value),
  };
  expect(await countTurns(() => judgeInput(guard, inputArgs([text])))).toBeGreaterThan(turns);
});

test('a hash mark is the same in a long text and in a short one', async () => {
  const replaceWithMarks = async (given: string) => {
    const args = inputArgs([given]);
    await pii.create(pii.options.parse({ method: 'hash' })).processInput?.(args);
    return JSON.stringify(args.messageList.get.input.db()).match(/\[EMAIL:\w+\]/g) ?? [];
  };
  const [short] = await replaceWithMarks(values[0] ?? '');
  const long = await replaceWithMarks(text);
  expect(long).toHaveLength(COUNT);
  expect(long[0]).toBe(short);
});

test('a value has the same identity in every spelling, unless it is longer than the bound', () => {
  const [plain, wide] = ['1'.repeat(MAX_PLAIN), '１'.repeat(MAX_PLAIN)];
  expect(hashIdentity('flood', wide)).toBe(hashIdentity('flood', plain));
  expect(hashIdentity('flood', `${wide}１`)).not.toBe(hashIdentity('flood', `${plain}1`));
});
