// The examples of HTTP as a reader starts them, on the demo agent.
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { parseAgentFile } from '@millrace/client';
import { useNats, useStack } from '@millrace/testkit';
import { beforeAll, expect, test } from 'vitest';

const nats = useNats();
const services = ['orchestrator', 'guardrails', 'tools', 'auth', 'gateway'];
const stack = useStack(nats, services, () => ({ GATEWAY_PORT: '0' }));
const root = join(import.meta.dirname, '../..');
const run = promisify(execFile);
let url = '';
let key = '';

beforeAll(async () => {
  const text = readFileSync(join(root, 'deploy/agents/demo.yaml'), 'utf8');
  const { definition } = parseAgentFile('demo.yaml', text, {});
  if (typeof definition !== 'object' || definition === null || Array.isArray(definition)) throw new Error('no agent');
  const { memory: _, ...rest } = definition;
  await stack.client.agents.apply(rest);
  url = /"url":"(http[^"]+)"/.exec(await stack.log('gateway'))?.[1] ?? '';
  key = (await stack.client.keys.create({ subject: 'reader', scopes: ['run', 'read', 'answer'] })).key;
}, 60_000);

test('The example for curl shows an answer, a stream, a run, its verdicts and a block', async () => {
  const env = { ...process.env, MILLRACE_URL: url, MILLRACE_KEY: key };
  const { stdout } = await run(join(root, 'examples/http-examples/curl.sh'), { env });
  expect(stdout).toContain('17 * 23 = 391.');
  expect(stdout).toContain('data: [DONE]');
  expect(stdout).toContain('"text":"6 * 7 = 42."');
  expect(stdout).toContain('"entry":"prompt-injection"');
  expect(stdout).toContain('content_policy_violation');
});

test('The example for the openai client of Node prints a streamed answer and a response', async () => {
  const env = { ...process.env, OPENAI_BASE_URL: `${url}/v1`, OPENAI_API_KEY: key };
  const { stdout } = await run(process.execPath, [join(root, 'examples/http-examples/openai.mjs')], { env });
  expect(stdout).toBe('17 * 23 = 391.\n6 * 7 = 42.\n');
});
