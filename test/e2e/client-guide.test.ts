// Executes the guide of the client: its TypeScript as one program, and its Python, on the demo agent.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAgentFile } from '@millrace/client';
import { useNats, useStack } from '@millrace/testkit';
import { beforeAll, expect, test } from 'vitest';
import { usePython } from './python/use-python.ts';
import { root, runCommand } from './run-command.ts';

const nats = useNats();
const stack = useStack(nats, [
  'orchestrator',
  'guardrails',
  'tools',
  'message-history',
  'semantic-recall',
  'working-memory',
]);
const python = usePython();
const guide = readFileSync(join(root, 'docs/client.md'), 'utf8');
const readBlocks = (language: string): string =>
  [...guide.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, 'gms'))].map(([, block]) => block).join('');
const env = () => ({ NATS_URL: nats.url, NATS_NKEY_FILE: join(nats.keys ?? '', 'operator/user.nk') });

beforeAll(async () => {
  const text = readFileSync(join(root, 'deploy/agents/demo.yaml'), 'utf8');
  const { definition } = parseAgentFile('demo.yaml', text, {});
  await stack.client.agents.apply(definition);
});

test('The TypeScript of the guide is one program that starts, rejoins, cancels, answers and approves runs', async () => {
  const args = ['--input-type=module', '--eval', readBlocks('ts')];
  const { code, stdout, stderr } = await runCommand(process.execPath, args, { cwd: join(root, 'test'), env: env() });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const lines = stdout.split('\n');
  expect(lines[0]).toBe('17 * 23 = 391.');
  expect(lines[1]).toMatch(/^finished, \d+ tokens$/);
  expect(lines.slice(2, 4)).toEqual(['6 * 7 = 42.', '12 * 12 = 144.']);
  expect(lines[4]).toMatch(/^(cancelled|finished)$/);
  const rest = lines.slice(5).join('\n');
  expect(rest).toContain(
    "suspended { question: 'A table for how many people?' }\nI have noted a table for four people.",
  );
  expect(rest).toContain("send-feedback { text: 'the answers are quick' }\nThe feedback is sent.");
  expect(rest).toMatch(/\n3 \[ 'user', 'assistant', 'assistant' \]\n$/);
}, 60_000);

test('The Python of the guide submits a run and prints its answer', async (context) => {
  python.requirePython(context);
  const { code, stdout, stderr } = await runCommand(python.python(), ['-c', readBlocks('python')], { env: env() });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toMatch(/^{'ok': {'runId': '\w+', 'accepted': True, 'created': True}}\n17 \* 23 = 391\.\n$/);
}, 60_000);
