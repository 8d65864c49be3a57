// Stacks of one worker share a process of services, and no file: the memory of one stack is empty at the start of the next.
import { useNats, useStack } from '@millrace/testkit';
import { describe, expect, test } from 'vitest';
import { applying } from './apply-agent.ts';
import { script } from './script.ts';

describe.each(['The first', 'The next'])('%s stack', () => {
  const nats = useNats();
  const stack = useStack(nats, ['orchestrator', 'message-history']);

  test('starts with an empty embedded store', async () => {
    await applying(stack)('remembering', { memory: { lastMessages: 10 } });
    const run = await stack.client.start('remembering', script({ text: 'Noted.' }), { threadId: 'shared' });
    expect(await run.result()).toMatchObject({ status: 'finished' });
    expect((await stack.client.threads.messages('shared')).total).toBe(2);
  });
});
