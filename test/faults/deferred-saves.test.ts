// Redis is unavailable while runs end: they finish, their thread reports missing messages, and after the outage the
// messages are stored in order.
import { readMessageText } from '@millrace/contracts';
import { eventually, useNats, useOwnRedis, useStack } from '@millrace/testkit';
import { expect, test } from 'vitest';
import { script } from '../e2e/script.ts';

const nats = useNats();
const redis = useOwnRedis();
const stack = useStack(nats, ['orchestrator', 'message-history'], () => ({ REDIS_URL: redis.url }), {
  processes: 'all',
});

test('runs finish if their history cannot be stored, and are stored in order after the outage of the store', async () => {
  await stack.client.agents.apply({ name: 'remembers', model: 'openai/gpt-5-mini', memory: { lastMessages: 5 } });
  const thread = { threadId: 'thread-1', resourceId: 'ada' };
  const say = async (text: string) => {
    const run = await stack.client.start('remembers', script({ text }), thread);
    return { run, result: await run.result() };
  };
  await say('zero');
  await redis.stop();
  const one = await say('one');
  expect(one.result).toMatchObject({ status: 'finished', text: 'one', unsaved: ['message-history'] });
  const two = await say('two');
  expect(two.result).toMatchObject({ status: 'finished', unsaved: ['message-history'] });
  const { saves } = await stack.client.saves.list({ threadId: 'thread-1' });
  expect(saves.map(({ runId }) => runId)).toEqual([one.run.runId, two.run.runId]);

  await redis.start();
  const listStored = () => stack.client.threads.messages('thread-1');
  await eventually(async () => (await listStored().catch(() => undefined))?.unsaved?.length === 0, {
    timeoutMs: 60_000,
  });
  const answers = (await listStored()).messages.filter(({ role }) => role === 'assistant').map(readMessageText);
  expect(answers).toEqual(['zero', 'one', 'two']);
  const events = await stack.client.runs.events(one.run.runId);
  const outcomes = events.flatMap((event) => (event.event === 'save' ? [event.outcome] : []));
  expect(outcomes).toEqual(['put-off', 'saved']);
}, 120_000);
