import { inputArgs } from '@millrace/testkit';
import { afterAll, describe, expect, test } from 'vitest';
import { pii } from '../pii/pii.ts';
import { turnsOf } from '../testing/turns-of.ts';
import { closeThreads } from '../work/task.ts';
import { identityOf, MAX_PLAIN } from './identity.ts';
import { judgeInput } from './judge-stages.ts';
import { COST_PER_TURN, knownIdentities } from './known-identities.ts';
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

describe('the identities of what was found', () => {
  test('are those of the values, known before and not', async () => {
    const identify = await knownIdentities(new Map([[text, [hits]]]), signal);
    for (const value of [values[0] ?? '', 'ADA10000@example.com', 'bob@example.com'])
      expect(identify('email', value)).toBe(identityOf('email', value));
  });
  test('let the event loop turn between them, long values sooner', async () => {
    const long = { rule: 'email', start: 0, end: COST_PER_TURN };
    const found = new Map([
      [text, [hits]],
      ['x'.repeat(COST_PER_TURN), [[long]]],
    ]);
    expect(await turnsOf(() => knownIdentities(found, signal))).toBeGreaterThan((COUNT * 64) / COST_PER_TURN);
  });
  test('are given up with the call', async () => {
    const found = new Map([[text, [hits]]]);
    await expect(knownIdentities(found, AbortSignal.abort())).rejects.toThrow('aborted');
  });
});

const SLICES = (COUNT * 64) / COST_PER_TURN;
test.each([
  ['warns of them', { strategy: 'warn' as const }, SLICES],
  ['marks them by what they are', { strategy: 'redact' as const, identifies: true }, SLICES],
  ['marks them all alike', { strategy: 'redact' as const }, 2],
])('a guard that found thousands and %s lets other calls have their turn', async (_, how, turns) => {
  const guard: TextGuard = {
    ...how,
    task: { now: () => [], run: async (texts) => ({ found: texts.map((one) => (one === text ? [hits] : [])) }) },
    rules: [],
    describe: () => '',
    mark: (hit, value, _state, identify) => identify(hit.rule, value),
    mapValue: (value, map) => (typeof value === 'string' ? map(value) : value),
  };
  expect(await turnsOf(() => judgeInput(guard, inputArgs([text])))).toBeGreaterThan(turns);
});

test('a hashed mark is the same in a long text as in a short one', async () => {
  const marked = async (given: string) => {
    const args = inputArgs([given]);
    await pii.create(pii.options.parse({ method: 'hash' })).processInput?.(args);
    return JSON.stringify(args.messageList.get.input.db()).match(/\[EMAIL:\w+\]/g) ?? [];
  };
  const [short] = await marked(values[0] ?? '');
  const long = await marked(text);
  expect(long).toHaveLength(COUNT);
  expect(long[0]).toBe(short);
});

test('a value is the same however it is written, unless it is longer than one turn can read', () => {
  const [plain, wide] = ['1'.repeat(MAX_PLAIN), '１'.repeat(MAX_PLAIN)];
  expect(identityOf('flood', wide)).toBe(identityOf('flood', plain));
  expect(identityOf('flood', `${wide}１`)).not.toBe(identityOf('flood', `${plain}1`));
});
