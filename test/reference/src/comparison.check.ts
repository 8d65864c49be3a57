// Runs seeded conversations here and in the reference with the same processors in one process, and compares final text,
// tripwire and prompts. Every difference belongs to a class of classes.ts. CONVERSATIONS sets their number (20), SEED
// the first seed, SHOW=1 prints each.
import { useNats, useStack } from '@millrace/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findClass, findDifferences } from './classes.ts';
import { generateConversation } from './conversation.ts';
import { startModelProxy, type ModelProxy } from './model-proxy.ts';
import { runOurs } from './run-millrace.ts';

const { CONVERSATIONS = '20', SEED = '1', SHOW } = process.env;
const INSTRUCTIONS = 'You are a miller. Answer.';

const nats = useNats();
const stack = useStack(nats, []);
let proxy: ModelProxy;
const counts = new Map<string, number>();

beforeAll(async () => {
  proxy = await startModelProxy(stack.modelUrl);
  process.env['GUARD_URL'] = stack.modelUrl;
  await stack.start('orchestrator', { OPENAI_BASE_URL: proxy.url });
  await stack.startProgram('theirs', new URL('serve-reference.ts', import.meta.url).pathname, {
    GUARD_URL: stack.modelUrl,
  });
});
afterAll(async () => {
  process.stdout.write(`${JSON.stringify(Object.fromEntries([...counts].toSorted()), undefined, 2)}\n`);
  await proxy.close();
});

const seeds = Array.from({ length: Number(CONVERSATIONS) }, (_, at) => Number(SEED) + at);
test.each(seeds)('conversation %i has the same outcome, or differs in a known way', async (seed) => {
  const conversation = generateConversation(seed);
  const ours = await runOurs(stack.client, conversation, proxy, INSTRUCTIONS);
  // Imported after the environment is set, because its guards call the model that it names.
  const { runTheirs } = await import('./run-reference.ts');
  const theirs = await runTheirs(conversation, proxy, INSTRUCTIONS);
  const found = findDifferences(conversation, ours, theirs).map((difference) => ({
    name: findClass(difference) ?? 'unclassified',
    ...difference,
  }));
  for (const name of found.length > 0 ? new Set(found.map((one) => one.name)) : ['same']) {
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  const unclassified = found.filter(({ name }) => name === 'unclassified');
  if (SHOW && unclassified.length > 0) {
    const listUses = (list: { use: string; options: object }[]) =>
      list.map(({ use, options }) => `${use} ${JSON.stringify(options)}`);
    process.stdout.write(
      `--- ${seed}\n${JSON.stringify({ input: listUses(conversation.input), output: listUses(conversation.output), answers: conversation.answers, said: conversation.said, retries: conversation.maxProcessorRetries, ours, theirs }, undefined, 1)}\n`,
    );
  }
  expect(unclassified.map(({ what, ours, theirs }) => ({ what, ours: ours[what], theirs: theirs[what] }))).toEqual([]);
});
