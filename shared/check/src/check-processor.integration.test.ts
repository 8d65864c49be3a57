// Runs the suite on a correct processor, and each rule on one that violates it.
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readFile } from 'node:fs/promises';
import { gatherInfo } from '@millrace/bus';
import { useBus, useNats } from '@millrace/testkit';
import { describe, expect, test } from 'vitest';
import { checkProcessors } from './check-processor.ts';
import type { RuleResult } from './run-rule.ts';
import { casesFileSchema } from './cases.ts';
import { formatReport } from './report-text.ts';
import { type CheckRule, WIRE_PAGES } from './rule.ts';
import { startRules } from './rules/start-rules.ts';
import { RULES } from './check-processor.ts';
import { BREAKAGES } from './testing/breakages.ts';
import type { Quirks } from './testing/wire-violations.ts';
import { scriptProcessor } from './testing/scripted-processor.ts';

const nats = useNats();
const checker = useBus(nats, 'check');
/** Rules that stop replicas have tests of their own. */
const OVER_THE_BUS = RULES.filter((rule) => !startRules.includes(rule));
const CASES = casesFileSchema.parse({
  texts: ['a secret, a sec', 'secretsecret', 'nothing of it'],
  exchanges: [
    { name: 'stops', stage: 'processInput', says: 'forbidden', verdict: { type: 'abort' } },
    { name: 'goes on', stage: 'processInput', says: 'allowed', state: { seen: 4 }, verdict: { state: { seen: 5 } } },
  ],
  redactions: [{ text: 'the secret is out', hides: ['secret'], becomes: 'the *** is out' }],
});

let count = 0;
/** Twice the default: ten checks of this file run at once, and other files in parallel. */
const policy = { timeoutMs: 4_000, attempts: 1, onFailure: 'fail' };
/** Other tests keep the machine busy, and a violation must not be taken for their load. */
const measure = async () => 1;

async function runRules(quirks: Quirks, rules = OVER_THE_BUS, load = {}): Promise<RuleResult[]> {
  const id = `scripted-${(count += 1)}`;
  const bus = await checker.connect({ name: id });
  const { stop } = await scriptProcessor(bus, id, { ...quirks, descriptor: { policy, ...quirks.descriptor } });
  try {
    const [report] = await checkProcessors({ bus: checker.bus, name: id, cases: CASES, seed: 7, rules, ...load });
    return report?.results ?? [];
  } finally {
    stop();
  }
}
const filterBroken = (results: readonly RuleResult[]) => results.filter(({ result }) => result === 'broken');

test.concurrent('A correct processor passes every rule', async () => {
  const results = await runRules({});
  expect(filterBroken(results)).toEqual([]);
  expect(results.map(({ rule, result }) => `${rule} ${result}`).toSorted()).toEqual(
    OVER_THE_BUS.map(({ id }) => `${id} held`).toSorted(),
  );
}, 60_000);

describe.concurrent('violations by a processor', () => {
  test.each(BREAKAGES)(
    'The rule %s fails if the processor %s',
    async (rule, _name, quirks, problem) => {
      const [found] = filterBroken(
        await runRules(
          quirks,
          RULES.filter(({ id }) => id === rule),
          { measure },
        ),
      );
      expect(found).toMatchObject({ rule, problem: expect.stringMatching(problem) });
    },
    60_000,
  );
});

const PROGRAM = fileURLToPath(new URL('./testing/scripted-main.ts', import.meta.url));
async function resultsOfProgram(quirk: string, load = {}): Promise<RuleResult[]> {
  const name = `program-${quirk}`;
  const start = {
    command: `exec "${process.execPath}" "${PROGRAM}" ${name} ${quirk}`,
    cwd: import.meta.dirname,
    env: { ...process.env, NATS_URL: nats.url },
  };
  const [report] = await checkProcessors({ bus: checker.bus, name, start, rules: startRules, ...load });
  return report?.results ?? [];
}

describe('a check with --start', () => {
  test('Two started replicas share the work, and one leaves without losing a call or a session', async () => {
    expect((await resultsOfProgram('none')).map(({ rule, result }) => [rule, result])).toEqual([
      ['replicas', 'held'],
      ['drain', 'held'],
    ]);
  }, 60_000);

  test('A shell command with several programs waits for the replica', async () => {
    const run = `true && "${process.execPath}" "${PROGRAM}" program-behind-a-shell slow-end; true`;
    const start = { command: run, cwd: import.meta.dirname, env: { ...process.env, NATS_URL: nats.url } };
    const [report] = await checkProcessors({
      bus: checker.bus,
      name: 'program-behind-a-shell',
      start,
      rules: startRules,
    });
    expect(filterBroken(report?.results ?? [])).toEqual([]);
  }, 60_000);

  test('Started replicas end if the check is cancelled', async () => {
    const name = 'program-interrupted';
    const command = `exec "${process.execPath}" "${PROGRAM}" ${name}`;
    const start = { command, cwd: import.meta.dirname, env: { ...process.env, NATS_URL: nats.url } };
    const stop = new AbortController();
    const endless: CheckRule = { ...(startRules[0] ?? never()), run: () => new Promise(() => stop.abort()) };
    const checked = checkProcessors({ bus: checker.bus, name, start, rules: [endless], signal: stop.signal });
    await expect(checked).rejects.toMatchObject({ code: 'cancelled' });
    expect((await gatherInfo(checker.bus, { gatherMs: 500 })).filter((info) => info.name === name)).toEqual([]);
  }, 60_000);

  const broken: [string, string, string, RegExp][] = [
    ['replicas', 'without calls in its queue group', 'idle', /has no subscriber|none went to the replica/],
    ['replicas', 'that receives every call', 'without-queue', /answered on after the final answer/],
    ['drain', 'that just ends', 'abrupt', /./],
  ];
  test.each(broken)(
    'The rule %s fails for a replica %s',
    async (rule, _name, quirk, problem) => {
      expect(filterBroken(await resultsOfProgram(quirk, { measure }))).toContainEqual(
        expect.objectContaining({ rule, problem: expect.stringMatching(problem) }),
      );
    },
    60_000,
  );
});

test('Every rule has a processor that violates it and a heading of docs/wire.md', async () => {
  const tried = new Set([...BREAKAGES.map(([rule]) => rule), 'replicas', 'drain']);
  expect(RULES.map(({ id }) => id).filter((id) => !tried.has(id))).toEqual([]);
  const page = await readFile(resolve(import.meta.dirname, '../../../docs/wire.md'), 'utf8');
  const headings = [...page.matchAll(/^#+ (.*)$/gm)].map(([, heading]) => heading);
  expect(Object.values(WIRE_PAGES).filter((heading) => !headings.includes(heading))).toEqual([]);
});

test('A report names the rule, the message and the page of a violation, and reports one mistake once', async () => {
  const rules = RULES.filter(({ id }) => ['answers', 'once'].includes(id));
  const results = await runRules({ verdicts: () => [{ type: 'deny', reason: 'x' }] }, rules);
  const text = formatReport({
    processor: 'p',
    service: 's',
    version: '1.0.0',
    replicas: 1,
    seed: 7,
    held: false,
    results,
  });
  expect(text).toContain('BROKEN   answers: it does not hold that it answers each stage');
  expect(text).toContain('in {"type":"deny","reason":"x"}');
  expect(text).toContain('see docs/wire.md, "3. A stage call"');
  expect(text).toContain('BROKEN   once: as answers');
});

test('An unknown processor is rejected by name', async () => {
  await expect(checkProcessors({ bus: checker.bus, name: 'nobody' })).rejects.toMatchObject({
    code: 'processor-unknown',
  });
});

function never(): never {
  throw new Error('there are rules');
}
