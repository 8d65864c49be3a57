// The history asks a model for titles of threads over real services, apart from the run.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DEFAULT_THREAD_TITLE } from '@millrace/contracts';
import { eventually, useNats, useStack } from '@millrace/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { useModelProxy } from './model-proxy.ts';

const folder = mkdtempSync(join(tmpdir(), 'millrace-e2e-titles-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const nats = useNats();
const stack = useStack(nats, ['guardrails']);
const proxy = useModelProxy(stack);
const readTitle = async (threadId: string) => (await stack.client.threads.get(threadId)).title;
const ask = (text: string, threadId: string) => stack.client.generate('titled', text, { threadId, resourceId: 'ada' });
const listTitleRequests = () =>
  proxy.bodies.map((body) => JSON.stringify(body)).filter((body) => body.includes('Name it.'));

beforeAll(async () => {
  await proxy.startService('message-history', { SQLITE_PATH: join(folder, 'memory.db') });
  await stack.client.agents.apply({
    name: 'titled',
    model: 'openai/gpt-5-mini',
    input: [{ use: 'pii', options: { strategy: 'redact' } }],
    memory: { lastMessages: 10, generateTitle: { instructions: 'Name it.' } },
  });
}, 120_000);

test('The first run of a thread gives it a title of the stored message, once', async () => {
  await ask('My name is Ada, write to ada@example.org.', 'a');
  await eventually(async () => expect(await readTitle('a')).toBe('Meeting Ada'));
  await ask('What is 2 + 2?', 'a');
  await ask('What is 3 + 3?', 'b');
  await eventually(async () => expect(await readTitle('b')).toBe('The value of 3 + 3'));
  const [first, second, ...more] = listTitleRequests();
  expect(first).toContain('My name is Ada');
  expect(first).not.toContain('ada@example.org');
  expect(second).toContain('3 + 3');
  expect(more).toEqual([]);
  expect(await readTitle('a')).toBe('Meeting Ada');
});

test('A title that a caller has set stays, and no model is asked', async () => {
  await stack.client.threads.create({ threadId: 'own', resourceId: 'ada', title: 'Mine' });
  const before = listTitleRequests().length;
  await ask('What is 4 + 4?', 'own');
  await ask('What is 5 + 5?', 'next');
  await eventually(async () => expect(await readTitle('next')).toBe('The value of 5 + 5'));
  expect([await readTitle('own'), listTitleRequests().length]).toEqual(['Mine', before + 1]);
});

test('A model without a title leaves the default title and a warning in the log, and the run finishes', async () => {
  expect((await ask('Where is the zoo?', 'f')).status).toBe('finished');
  await eventually(async () => expect(await stack.log('message-history')).toContain('the thread gets no title'));
  expect(await readTitle('f')).toBe(DEFAULT_THREAD_TITLE);
});
