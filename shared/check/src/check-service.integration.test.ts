// Checks a service with many processors that the check starts: its replicas share the work of each, and one of them
// leaves once.
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { useBus, useExternalGuard, useNats } from '@millrace/testkit';
import { expect, test } from 'vitest';
import { casesFileSchema } from './cases.ts';
import { checkProcessors } from './check-processor.ts';
import { startRules } from './rules/start-rules.ts';

const root = resolve(import.meta.dirname, '../../..');
const guard = useExternalGuard();
const nats = useNats();
const checker = useBus(nats, 'checker');
/** Two sequential starts on a busy machine. */
const CHECK_MS = 120_000;

test(
  'guardrails: two replicas share the work of each processor, and one leaves without losing a call or a session',
  async () => {
    const command = `exec "${process.execPath}" "${resolve(root, 'services/guardrails/src/main.ts')}"`;
    const env = { ...process.env, NATS_URL: nats.url, LOG_LEVEL: 'silent', HTTP_GUARDS: guard.file };
    const cases = casesFileSchema.parse(JSON.parse(await readFile(resolve(root, 'test/e2e/check-cases.json'), 'utf8')));
    const start = { command, cwd: root, env };
    const given = { bus: checker.bus, name: 'guardrails', cases, start, rules: startRules, limitMs: CHECK_MS };
    const reports = await checkProcessors(given);
    const results = reports.flatMap(({ processor, results: all }) => all.map((one) => ({ processor, ...one })));
    expect(results.filter(({ result }) => result === 'broken')).toEqual([]);
    const findHeld = (id: string) => results.filter(({ rule, result }) => rule === id && result === 'held');
    expect(findHeld('replicas')).toHaveLength(reports.length);
    expect(findHeld('drain')).toMatchObject([{ processor: 'pii' }]);
    expect(reports.length).toBeGreaterThan(10);
  },
  CHECK_MS,
);
