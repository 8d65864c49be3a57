import { passingProcessor, useNats, useProcessors } from '@millrace/testkit';
import { expect, test } from 'vitest';

const nats = useNats();
let prepared = 0;
const heavy = { ...passingProcessor('heavy'), prepare: async () => void (prepared += 1) };
const hosts = useProcessors(nats, [passingProcessor('light'), heavy]);

test('A replica prepares the served processors, and no others, before discovery finds it', async () => {
  const before = prepared;
  expect(before).toBe(1);
  await (await hosts.start({ PROCESSORS: 'light' })).stop();
  expect(prepared).toBe(before);
  await (await hosts.start({ PROCESSORS: 'heavy' })).stop();
  expect(prepared).toBe(before + 1);
});
