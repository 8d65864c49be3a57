// Seeded conversations, here and in the reference with the same processors in one process: final text, tripwire, the prompts that were
// sent. Every difference falls into a class of classes.ts. CONVERSATIONS says how many (20), SEED where to begin, SHOW=1 prints each.
import { useNats, useStack } from '@millrace/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { classOf, differencesOf } from './classes.ts';
import { conversationOf } from './conversation.ts';
import { startModelProxy, type ModelProxy } from './model-proxy.ts';
import { runOurs } from './run-ours.ts';

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
  await stack.startProgram('theirs', new URL('serve-theirs.ts', import.meta.url).pathname, {
    GUARD_URL: stack.modelUrl,
  });
});
afterAll(async () => {
  process.stdout.write(`${JSON.stringify(Object.fromEntries([...counts].toSorted()), undefined, 2)}\n`);
  await proxy.close();
});

const seeds = Array.from({ length: Number(CONVERSATIONS) }, (_, at) => Number(SEED) + at);
test.each(seeds)('conversation %i comes to the same, or differs in a known way', async (seed) => {
  const conversation = conversationOf(seed);
  const ours = await runOurs(stack.client, conversation, proxy, INSTRUCTIONS);
  // Later than the environment is set: its guards ask the model that it names.
  const { runTheirs } = await import('./run-theirs.ts');
  const theirs = await runTheirs(conversation, proxy, INSTRUCTIONS);
  const found = differencesOf(conversation, ours, theirs).map((difference) => ({
    name: classOf(difference) ?? 'unclassified',
    ...difference,
  }));
  for (const name of found.length > 0 ? new Set(found.map((one) => one.name)) : ['same']) {
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  const unclassified = found.filter(({ name }) => name === 'unclassified');
  if (SHOW && unclassified.length > 0) {
    const uses = (list: { use: string; options: object }[]) =>
      list.map(({ use, options }) => `${use} ${JSON.stringify(options)}`);
    process.stdout.write(
      `--- ${seed}\n${JSON.stringify({ input: uses(conversation.input), output: uses(conversation.output), answers: conversation.answers, said: conversation.said, retries: conversation.maxProcessorRetries, ours, theirs }, undefined, 1)}\n`,
    );
  }
  expect(unclassified.map(({ what, ours, theirs }) => ({ what, ours: ours[what], theirs: theirs[what] }))).toEqual([]);
});
