// The examples of HTTP as a reader starts them, on the demo agent.
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { parseAgentFile } from '@millrace/client';
import { useNats, useStack } from '@millrace/testkit';
import { beforeAll, expect, test } from 'vitest';
import { z } from 'zod';

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

test('The settings of Open WebUI name the chat and its user, and a title has no thread', async () => {
  const readme = readFileSync(join(root, 'examples/http-examples/README.md'), 'utf8');
  const settings = /\{"X-OpenWebUI-Chat-Id".*\}/.exec(readme)?.[0] ?? '';
  const { key: shared } = await stack.client.keys.create({
    subject: 'open-webui',
    scopes: ['run', 'read', 'answer', 'act-as'],
  });
  const chat = crypto.randomUUID();
  /** Sends a request as Open WebUI does, which replaces the templates of the headers. */
  const send = async (task: string): Promise<string> => {
    const values: Record<string, string> = { CHAT_ID: chat, USER_ID: 'user-7', TASK: task };
    const filled = settings.replace(/\{\{(\w+)\}\}/g, (_, name: string) => values[name] ?? '');
    const given = z.record(z.string(), z.string()).parse(JSON.parse(filled));
    const response = await fetch(`${url}/v1/chat/completions`, {
      method: 'POST',
      headers: { ...given, authorization: `Bearer ${shared}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'demo', messages: [{ role: 'user', content: 'What is 17 * 23?' }] }),
    });
    expect(await response.text()).toContain('17 * 23 = 391.');
    return response.headers.get('x-millrace-run-id') ?? '';
  };
  const { summary } = await stack.client.runs.get(await send(''));
  expect(summary).toMatchObject({ subject: 'user-7', threadId: chat });
  const title = await stack.client.runs.get(await send('title_generation'));
  expect(title.summary).toMatchObject({ subject: 'user-7' });
  expect(title.summary?.threadId).toBeUndefined();
});
