// A processor of another service implements a member of an agent's memory because its descriptor names that member.
import type { Message } from '@millrace/contracts';
import { defineProcessor, useProcessors, useSharedStack } from '@millrace/testkit';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { collect } from './collect.ts';
import { script } from './script.ts';

const stack = useSharedStack();
const saved: { lastMessages: number; texts: string[] }[] = [];
const notebook = defineProcessor({
  id: 'notebook',
  description: 'keeps the messages of a run',
  memoryKey: 'lastMessages',
  stages: ['processOutputResult'],
  reads: ['input', 'response'],
  options: z.strictObject({ lastMessages: z.number().default(5) }),
  create: ({ lastMessages }) => ({
    id: 'notebook',
    processOutputResult({ messages }) {
      const texts = messages.flatMap(({ content }: Message) =>
        content.parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])),
      );
      saved.push({ lastMessages, texts });
      return messages;
    },
  }),
});
useProcessors(stack, [notebook]);

test('A processor that advertises a member of `memory` is last in the plan, gets its options and saves the result', async () => {
  await stack.client.agents.apply({
    name: 'noted',
    model: 'openai/gpt-5-mini',
    output: ['pii'],
    memory: { lastMessages: 3 },
  });
  const { plan } = await stack.client.agents.get('noted');
  expect(plan.order.processOutputResult?.at(-1)).toBe('notebook');
  expect(plan.entries['notebook']).toMatchObject({ memory: true, memoryKey: 'lastMessages' });
  const run = await stack.client.start('noted', script({ text: 'Hello.' }), { threadId: 'noted' });
  await collect(run);
  expect(saved).toEqual([{ lastMessages: 3, texts: expect.arrayContaining(['Hello.']) }]);
});
