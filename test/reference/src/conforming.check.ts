// Runs `millrace check` on the reference's unmodified processors: the promises of docs/wire.md hold for them too.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { useNats, useStack } from '@millrace/testkit';
import { beforeAll, expect, test } from 'vitest';

const nats = useNats();
const stack = useStack(nats, []);
const path = (from: string) => new URL(from, import.meta.url).pathname;

beforeAll(() => stack.startProgram('theirs', path('serve-reference.ts')));

type Report = { processor: string; results: { rule: string; result: string; problem?: string }[] };

/** Deliberate deviations, with the reason. */
const BY_DESIGN: Readonly<Record<string, string>> = {
  // To block, it reads one chunk at a time: a match that spans two passes. It holds text back for redaction.
  'their-regex': 'cuts',
};

test('every served processor of the reference passes the check', async () => {
  const cli = [path('../../../shared/cli/src/main.ts'), 'check', 'theirs', '--seed', '7', '--json'];
  const env = { PATH: process.env['PATH'] ?? '', NATS_URL: nats.url };
  const options = { env, maxBuffer: 16 * 1024 * 1024 };
  const readFailure = (error: unknown) => error as { stdout: string };
  const { stdout } = await promisify(execFile)(process.execPath, cli, options).catch(readFailure);
  const reports: Report[] = JSON.parse(stdout);
  expect(reports.length).toBe(10);
  const broken = reports.flatMap(({ processor, results }) =>
    results
      .filter(({ rule, result }) => result === 'broken' && BY_DESIGN[processor] !== rule)
      .map((one) => ({ processor, ...one })),
  );
  expect(broken).toEqual([]);
});
