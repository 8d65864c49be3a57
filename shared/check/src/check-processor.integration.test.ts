// The suite on a processor that is right in everything, and for each rule on one that breaks it.
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readFile } from 'node:fs/promises';
import { gatherInfo } from '@millrace/bus';
import { useBus, useNats } from '@millrace/testkit';
import { describe, expect, test } from 'vitest';
import { checkProcessors, type RuleResult } from './check-processor.ts';
import { casesFileSchema } from './cases.ts';
import { reportText } from './report-text.ts';
import type { Rule } from './rule.ts';
import { startRules } from './rules/start-rules.ts';
import { RULES } from './rules.ts';
import { BREAKAGES } from './testing/breakages.ts';
import type { Quirks } from './testing/quirks.ts';
import { scriptProcessor } from './testing/scripted-processor.ts';
import { WIRE_PAGES } from './wire-page.ts';

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
async function resultsOf(quirks: Quirks, rules = OVER_THE_BUS): Promise<RuleResult[]> {
  const id = `scripted-${(count += 1)}`;
  const bus = await checker.connect({ name: id });
  const { stop } = await scriptProcessor(bus, id, quirks);
  try {
    const [report] = await checkProcessors({ bus: checker.bus, name: id, cases: CASES, seed: 7, rules });
    return report?.results ?? [];
  } finally {
    stop();
  }
}
const brokenOf = (results: readonly RuleResult[]) => results.filter(({ result }) => result === 'broken');

test('a processor that is right in everything holds to every rule', async () => {
  const results = await resultsOf({});
  expect(brokenOf(results)).toEqual([]);
  expect(results.map(({ rule, result }) => `${rule} ${result}`).toSorted()).toEqual(
    OVER_THE_BUS.map(({ id }) => `${id} held`).toSorted(),
  );
}, 60_000);

describe.concurrent('the suite finds a processor that', () => {
  test.each(BREAKAGES)(
    '(%s) %s',
    async (rule, _name, quirks, problem) => {
      const [found] = brokenOf(
        await resultsOf(
          quirks,
          RULES.filter(({ id }) => id === rule),
        ),
      );
      expect(found).toMatchObject({ rule, problem: expect.stringMatching(problem) });
    },
    60_000,
  );
});

const PROGRAM = fileURLToPath(new URL('./testing/scripted-main.ts', import.meta.url));
async function resultsOfProgram(quirk: string): Promise<RuleResult[]> {
  const name = `program-${quirk}`;
  const start = {
    command: `exec "${process.execPath}" "${PROGRAM}" ${name} ${quirk}`,
    cwd: import.meta.dirname,
    env: { ...process.env, NATS_URL: nats.url },
  };
  const [report] = await checkProcessors({ bus: checker.bus, name, start, rules: startRules });
  return report?.results ?? [];
}

describe('with a command that starts a replica', () => {
  test('two share the work, and one leaves without losing a call or a session', async () => {
    expect((await resultsOfProgram('none')).map(({ rule, result }) => [rule, result])).toEqual([
      ['replicas', 'held'],
      ['drain', 'held'],
    ]);
  }, 60_000);

  test('that is more than one program, a shell waits for the replica', async () => {
    const run = `true && "${process.execPath}" "${PROGRAM}" program-behind-a-shell slow-end; true`;
    const start = { command: run, cwd: import.meta.dirname, env: { ...process.env, NATS_URL: nats.url } };
    const [report] = await checkProcessors({
      bus: checker.bus,
      name: 'program-behind-a-shell',
      start,
      rules: startRules,
    });
    expect(brokenOf(report?.results ?? [])).toEqual([]);
  }, 60_000);

  test('what was started is ended where nobody waits for the report any more', async () => {
    const name = 'program-interrupted';
    const command = `exec "${process.execPath}" "${PROGRAM}" ${name}`;
    const start = { command, cwd: import.meta.dirname, env: { ...process.env, NATS_URL: nats.url } };
    const stop = new AbortController();
    const endless: Rule = { ...(startRules[0] ?? never()), run: () => new Promise(() => stop.abort()) };
    const checked = checkProcessors({ bus: checker.bus, name, start, rules: [endless], signal: stop.signal });
    await expect(checked).rejects.toMatchObject({ code: 'cancelled' });
    expect((await gatherInfo(checker.bus, { gatherMs: 500 })).filter((info) => info.name === name)).toEqual([]);
  }, 60_000);

  const broken: [string, string, string, RegExp][] = [
    ['replicas', 'whose queue group gets no call', 'idle', /nobody is subscribed|none went to the replica/],
    ['drain', 'that just ends', 'abrupt', /./],
  ];
  test.each(broken)(
    '(%s) a replica is found %s',
    async (rule, _name, quirk, problem) => {
      expect(brokenOf(await resultsOfProgram(quirk))).toContainEqual(
        expect.objectContaining({ rule, problem: expect.stringMatching(problem) }),
      );
    },
    60_000,
  );
});

test('every rule has a processor that breaks it, and a heading of docs/wire.md', async () => {
  const tried = new Set([...BREAKAGES.map(([rule]) => rule), 'replicas', 'drain']);
  expect(RULES.map(({ id }) => id).filter((id) => !tried.has(id))).toEqual([]);
  const page = await readFile(resolve(import.meta.dirname, '../../../docs/wire.md'), 'utf8');
  const headings = [...page.matchAll(/^#+ (.*)$/gm)].map(([, heading]) => heading);
  expect(Object.values(WIRE_PAGES).filter((heading) => !headings.includes(heading))).toEqual([]);
});

test('a report says what breaks, in which message, and on which page; one mistake is told once', async () => {
  const rules = RULES.filter(({ id }) => ['answers', 'once'].includes(id));
  const results = await resultsOf({ verdicts: () => [{ type: 'deny', reason: 'x' }] }, rules);
  const text = reportText({
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

test('a processor that nobody advertises is refused by name', async () => {
  await expect(checkProcessors({ bus: checker.bus, name: 'nobody' })).rejects.toMatchObject({
    code: 'processor-unknown',
  });
});

function never(): never {
  throw new Error('there are rules');
}
