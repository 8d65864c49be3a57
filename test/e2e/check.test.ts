// `millrace check` finds that our own services conform to docs/wire.md: every guard, the three memories, the tools.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { useExternalGuard, useNats, useRedis, useStack } from '@millrace/testkit';
import { afterAll, expect, test } from 'vitest';
import { millrace } from './run-command.ts';

const folder = mkdtempSync(join(tmpdir(), 'millrace-e2e-check-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const guard = useExternalGuard();
const nats = useNats();
const redis = useRedis();
const services = ['guardrails', 'message-history', 'working-memory', 'semantic-recall', 'tools'];
useStack(
  nats,
  services,
  () => ({
    HTTP_GUARDS: guard.file,
    REDIS_URL: redis.url,
    EMBEDDING_MODEL: 'openai/hashed-ngram',
    SQLITE_PATH: join(folder, 'vectors.db'),
  }),
  { processes: ['guardrails'] },
);

type Report = { processor: string; results: { rule: string; result: string; problem?: string }[] };
const CASES = resolve(import.meta.dirname, 'check-cases.json');
const CHECK_MS = 160_000;

test.each(services)(
  'millrace check %s: every processor and tool of the service conforms to the protocol',
  async (service) => {
    const { code, stdout, stderr } = await millrace(['check', service, '--cases', CASES, '--limit', '150s', '--json'], {
      env: { NATS_URL: nats.url },
    });
    expect(stderr).toBe('');
    const reports: Report[] = JSON.parse(stdout);
    const broken = reports.flatMap(({ processor, results }) =>
      results.flatMap(({ rule, result, problem }) => (result === 'broken' ? [{ processor, rule, problem }] : [])),
    );
    expect(broken).toEqual([]);
    expect(code).toBe(0);
    expect(reports.length).toBeGreaterThan(0);
  },
  CHECK_MS,
);
