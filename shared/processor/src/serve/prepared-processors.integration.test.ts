import { useNats, useProcessors } from '@millrace/testkit';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { defineProcessor } from '../processor-definition.ts';

const nats = useNats();
let prepared = 0;
const plain = (id: string) =>
  defineProcessor({
    id,
    description: 'does nothing',
    stages: ['processInput'],
    reads: [],
    options: z.strictObject({}),
    create: () => ({ id, processInput: () => undefined }),
  });
const heavy = { ...plain('heavy'), prepare: async () => void (prepared += 1) };
const hosts = useProcessors(nats, [plain('light'), heavy]);

test('a replica prepares what it serves before it is found, and nothing else', async () => {
  const before = prepared;
  expect(before).toBe(1);
  await (await hosts.start({ PROCESSORS: 'light' })).stop();
  expect(prepared).toBe(before);
  await (await hosts.start({ PROCESSORS: 'heavy' })).stop();
  expect(prepared).toBe(before + 1);
});
