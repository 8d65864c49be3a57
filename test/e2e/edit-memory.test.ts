// Deletes and imports conversations over real services: the verbs, the command line, and derived data.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildTextMessage } from '@millrace/contracts';
import { useNats, useRedis, useStack } from '@millrace/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { millrace } from './run-command.ts';

const folder = mkdtempSync(join(tmpdir(), 'millrace-e2e-edit-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const nats = useNats();
const redis = useRedis();
const services = ['orchestrator', 'message-history', 'working-memory', 'semantic-recall'];
const stack = useStack(
  nats,
  services,
  () => ({
    REDIS_URL: redis.url,
    EMBEDDING_MODEL: 'openai/hashed-ngram',
    SQLITE_PATH: join(folder, 'vectors.db'),
  }),
  { processes: ['semantic-recall'] },
);
const cli = (...args: string[]) => millrace(args, { env: { NATS_URL: nats.url }, cwd: folder });
const say = async (text: string, threadId: string) =>
  stack.client.generate('remembering', text, { threadId, resourceId: 'ada' });
/** Text that semantic recall adds to a run on another thread. */
async function recallParking(): Promise<string> {
  const run = await stack.client.start('remembering', 'Where did I park my car?', {
    threadId: crypto.randomUUID(),
    resourceId: 'ada',
  });
  return (await run.result()).text;
}

beforeAll(async () => {
  const memory = { lastMessages: 10, semanticRecall: { scope: 'resource' } };
  await stack.client.agents.apply({ name: 'remembering', model: 'openai/gpt-5-mini', memory });
});

describe('deleting a conversation', () => {
  test('a deleted thread is recalled neither as history nor by meaning', async () => {
    await say('I parked my car on level 4 of the north garage.', 'parking');
    expect(await recallParking()).toContain('level 4');
    for (const { id } of (await stack.client.threads.list({ resourceId: 'ada' })).threads)
      if (id !== 'parking') await stack.client.threads.delete(id);
    expect((await cli('threads', 'delete', 'parking')).stderr).toContain('repeat the command with --yes');
    expect(await cli('threads', 'delete', 'parking', '--yes')).toMatchObject({
      code: 0,
      stdout: 'parking is deleted, with 2 messages\n',
    });
    expect(await recallParking()).not.toContain('level 4');
    expect((await cli('threads', 'messages', 'parking')).stderr).toContain('thread-unknown');
  });

  test('deleted messages are not recalled by meaning', async () => {
    await say('I parked my car on level 7 of the south garage.', 'again');
    const { messages } = await stack.client.threads.messages('again');
    for (const { id } of (await stack.client.threads.list({ resourceId: 'ada' })).threads)
      if (id !== 'again') await stack.client.threads.delete(id);
    const ids = messages.map(({ id }) => id).join(',');
    expect(await cli('messages', 'delete', 'again', '--ids', ids, '--yes')).toMatchObject({
      stdout: '2 messages are deleted; again has 0\n',
    });
    expect(await recallParking()).not.toContain('level 7');
  });

  test('a thread remains while a service with derived data is not running, and its deletion can be repeated', async () => {
    await say('My name is Ada.', 'kept');
    await stack.signal('semantic-recall', 'SIGKILL');
    const { code, stderr } = await cli('threads', 'delete', 'kept', '--yes');
    expect(code).not.toBe(0);
    expect(stderr).toContain('semantic-recall');
    expect((await stack.client.threads.messages('kept')).total).toBe(2);
    await stack.start('semantic-recall');
    expect(await stack.client.threads.delete('kept')).toBe(2);
  });
});

describe('importing a conversation', () => {
  test('imported messages are recalled by the next run', async () => {
    const messages = [
      buildTextMessage('m1', 'user', 'I parked my car on level 9 of the east garage.'),
      buildTextMessage('m2', 'assistant', 'Noted.'),
    ];
    writeFileSync(join(folder, 'messages.json'), JSON.stringify(messages));
    expect(await cli('messages', 'save', 'imported', 'messages.json', '--resource', 'ada')).toMatchObject({
      code: 0,
      stdout: '2 messages are saved; imported has 2\n',
    });
    expect((await cli('threads', 'update', 'imported', '--title', 'Parking')).stdout).toBe(
      'imported is updated: Parking\n',
    );
    const { text } = await say('Where did I park my car?', 'imported');
    expect(text).toContain('level 9');
    expect(await stack.client.threads.get('imported')).toMatchObject({ title: 'Parking', messageCount: 4 });
  });

  test('a replaced working memory is shown, and another version is refused', async () => {
    writeFileSync(join(folder, 'memory.json'), '{"name":"Ada"}');
    const args = ['memory', 'set', 'memory.json', '--resource', 'ada'];
    expect(await cli(...args)).toMatchObject({ code: 0, stderr: 'the memory is replaced, version 1\n' });
    expect(JSON.parse((await cli('memory', 'show', '--resource', 'ada')).stdout)).toEqual({ name: 'Ada' });
    expect((await cli(...args, '--version', '7')).stderr).toContain('state-conflict');
  });
});
