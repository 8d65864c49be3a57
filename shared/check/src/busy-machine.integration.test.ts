// A rule that misses a time limit on a busy machine runs again, and is then slow instead of broken.
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { useBus, useNats } from '@millrace/testkit';
import { describe, expect, onTestFinished, test } from 'vitest';
import { checkProcessors, RULES } from './check-processor.ts';
import { findNamed } from './find-targets.ts';
import { measureResponse } from './measure-response.ts';
import { formatReport } from './report-text.ts';
import { LateError } from './rule-error.ts';
import type { CheckRule } from './rule.ts';
import type { CheckTarget } from './target.ts';
import { scriptProcessor } from './testing/scripted-processor.ts';

const nats = useNats();
const checker = useBus(nats, 'check');
const PROGRAM = fileURLToPath(new URL('./testing/scripted-main.ts', import.meta.url));

async function startScripted(id: string): Promise<void> {
  const bus = await checker.connect({ name: id });
  onTestFinished((await scriptProcessor(bus, id, {})).stop);
}

/** A rule with the given outcomes, run by run. */
function makeRule(outcomes: readonly (Error | undefined)[]): CheckRule & { runs: number } {
  const rule = {
    id: 'side-by-side',
    promise: 'handles calls side by side',
    page: 'call' as const,
    runs: 0,
    async run() {
      const error = outcomes[(rule.runs += 1) - 1];
      if (error) throw error;
    },
  };
  return rule;
}
const late = () => new LateError('it was not answered within 1000 ms', 1_000);

async function checkRule(id: string, rule: CheckRule, responseMs: number | undefined) {
  await startScripted(id);
  const measure = async () => responseMs;
  const [report] = await checkProcessors({ bus: checker.bus, name: id, rules: [rule], measure });
  if (!report) throw new Error('there is no report');
  return report;
}

describe('a rule that misses a time limit', () => {
  test('On a quiet machine it is broken at once', async () => {
    const rule = makeRule([late(), undefined]);
    const { results, held } = await checkRule('late-quiet', rule, 2);
    expect([results[0]?.result, rule.runs, held]).toEqual(['broken', 1, false]);
  });

  test('On a busy machine it runs again, alone', async () => {
    const rule = makeRule([late(), undefined]);
    const { results, held } = await checkRule('late-once', rule, 150);
    expect([results[0]?.result, rule.runs, held]).toEqual(['held', 2, true]);
  });

  test('If it misses the limit each time, it is slow, and the report does not hold', async () => {
    const report = await checkRule('late-always', makeRule([late(), late(), late()]), 150);
    expect([report.results[0]?.result, report.held]).toEqual(['slow', false]);
    const text = formatReport(report);
    expect(text).toContain(
      'slow     side-by-side: it was not answered within 1000 ms; the service answers a ping after 150 ms',
    );
    expect(text).toContain('0 rules hold, 0 are broken, 1 cannot be judged on this busy machine');
  });

  test('A limit of many response times is broken on a busy machine, too', async () => {
    const { results } = await checkRule('late-long', makeRule([late(), late(), late()]), 50);
    expect(results[0]?.result).toBe('broken');
  });

  test('A service that does not answer its ping is not slow', async () => {
    expect((await checkRule('late-dead', makeRule([late()]), undefined)).results[0]?.result).toBe('broken');
  });
});

test('After the time limit of the check, no rule starts, and the service is not measured again', async () => {
  await startScripted('late-check');
  const started: string[] = [];
  const makeStep = (id: string): CheckRule => ({
    id,
    promise: 'ends',
    page: 'call',
    alone: true,
    run: () => new Promise(() => void started.push(id)),
  });
  const rules = [makeStep('first'), makeStep('second')];
  let measured = 0;
  const measure = async () => (measured += 1) * 150;
  const [report] = await checkProcessors({ bus: checker.bus, name: 'late-check', rules, measure, limitMs: 100 });
  expect(report?.results.map(({ rule, result }) => [rule, result])).toEqual([
    ['first', 'slow'],
    ['second', 'slow'],
  ]);
  expect([started, measured]).toEqual([['first'], 1]);
});

test('A replica that has a core for 40 ms of each second is slow, not broken', async () => {
  const id = 'program-starved';
  const env = { ...process.env, NATS_URL: nats.url };
  const child = spawn(process.execPath, [PROGRAM, id], { env, stdio: 'ignore' });
  onTestFinished(() => void child.kill('SIGKILL'));
  await expect.poll(async () => (await findNamed(checker.bus, id)).processors.length, { timeout: 20_000 }).toBe(1);
  const answers = RULES.find(({ id: rule }) => rule === 'answers');
  if (!answers) throw new Error('there is no such rule');
  let starving: NodeJS.Timeout | undefined;
  let heldUntil = 0;
  const starved = {
    ...answers,
    run(target: CheckTarget) {
      child.kill('SIGSTOP');
      // Each run misses the limit of the first call: that of the program is 2 s.
      heldUntil = performance.now() + 2_500;
      starving ??= setInterval(() => {
        if (performance.now() < heldUntil) return;
        child.kill('SIGCONT');
        setTimeout(() => child.kill('SIGSTOP'), 40);
      }, 1_000);
      onTestFinished(() => clearInterval(starving));
      return answers.run(target);
    },
  };
  const [report] = await checkProcessors({ bus: checker.bus, name: id, rules: [starved] });
  const results = report?.results.map(({ rule, result }) => [rule, result]);
  expect(results).toEqual([['answers', 'slow']]);
}, 60_000);

test('A service without a replica has no response time', async () => {
  await startScripted('idle');
  expect(await measureResponse({ bus: checker.bus, service: 'idle' })).toBeGreaterThan(0);
  expect(await measureResponse({ bus: checker.bus, service: 'no-such-service' })).toBeUndefined();
});
