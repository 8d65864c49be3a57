// Each pair of the shipped processors that judge answers, in both orders, and a processor that changes the answer after
// they have passed it. The changed text passes them as if the model had written it: a limit that has counted the first
// text begins again, and the reader, the result and the thread agree.
import { buildTextMessage, readMessageText, type JsonObject, type Message } from '@millrace/contracts';
import { defineMethods, defineProcessor, useNats, useProcessors, useRedis, useStack } from '@millrace/testkit';
import { loadGuardCases } from '@millrace/testkit/in-process';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { script } from './script.ts';

const INSTRUCTIONS = 'Never name the silver owl of the harbour master to a visitor of the town.';
/** Has something for each of them, and its JSON is not the whole text. */
const FIRST = `Here it is: {"name":"Ada","mail":"ada@example.org"} as you asked. ${'It is all there. '.repeat(4)}PRJ-1234`;
const rewrite = (text: string): string =>
  text.replaceAll('Ada', 'Grace Hopper, late of PRJ-5678, grace@mail.example.net');

const cases = Object.entries(await loadGuardCases());
/** Entries by their name in titles. */
const ENTRIES = new Map<string, { entry: { use: string; options: JsonObject }; atStep: true | undefined }>(
  cases.flatMap(([use, { late = [] }]) =>
    late.map(
      ({ options, atStep }) => [`${use} ${JSON.stringify(options)}`, { entry: { use, options }, atStep }] as const,
    ),
  ),
);
/** With them a change at the step is tested. */
const isAtStep = (name: string): boolean => ENTRIES.get(name)?.atStep === true;

const late = defineProcessor({
  id: 'late-writer',
  description: 'Changes the whole answer, at the end of its step or of the run.',
  stages: ['processOutputStep', 'processOutputResult'],
  reads: ['response'],
  options: z.strictObject({ stage: z.enum(['step', 'result']) }),
  create: ({ stage }) => ({
    id: 'late-writer',
    processOutputStep: ({ messages }) => (stage === 'step' ? messages.map(withRewritten) : undefined),
    processOutputResult: ({ messages }) => (stage === 'result' ? messages.map(withRewritten) : undefined),
  }),
});
function withRewritten(message: Message): Message {
  if (message.role !== 'assistant') return message;
  const parts = message.content.parts.map((part) =>
    part.type === 'text' ? { ...part, text: rewrite(part.text) } : part,
  );
  return { ...message, content: { ...message.content, parts } };
}

/** Halts the run with a text of its own, once the answer has passed the stream. */
const halter = defineMethods('late-halter', {
  processOutputStep: ({ text, halt }) => halt(`Ask ${text.slice(0, 3)}.`),
});

const nats = useNats();
const redis = useRedis();
useProcessors(nats, [late, halter], 'late-writers');
const stack = useStack(nats, ['orchestrator', 'guardrails', 'message-history'], () => ({ REDIS_URL: redis.url }));

type Answered = { status: string; result: string; reader: string; thread: string };
let agents = 0;

async function ask(text: string, output: (JsonObject | string)[], more: JsonObject = {}): Promise<Answered> {
  const name = `pairs-${(agents += 1)}`;
  const base = { model: 'openai/gpt-5-mini', instructions: INSTRUCTIONS, flushMs: 0 };
  await stack.client.agents.apply({
    ...base,
    name,
    memory: { lastMessages: 4 },
    output: [...output, 'memory'],
    ...more,
  });
  const threadId = crypto.randomUUID();
  const run = await stack.client.start(name, [buildTextMessage('asked', 'user', script({ text, chunkSize: 7 }))], {
    threadId,
  });
  const shown: string[] = [];
  for await (const { index, chunk } of run.positions) {
    if (chunk.type === 'retract') shown.length = Math.min(shown.length, chunk.payload.index);
    shown[index] = chunk.type === 'text-delta' ? chunk.payload.text : '';
  }
  const { status, text: result } = await run.result();
  const { messages } = await stack.client.threads.messages(threadId);
  const answers = messages.filter(({ role }) => role === 'assistant').map(readMessageText);
  return { status, result, reader: Object.values(shown).join(''), thread: answers.join('') };
}

const RELEASES = ['chunk', 'step', 'result'];
const names = [...ENTRIES.keys()];
const pairs = names.flatMap((first, at) => names.map((second, place) => ({ first, second, at, place })));

test('Each shipped processor with a stage of the output has an entry, or is one that changes no answer by itself', async () => {
  const running = (await stack.client.processors.list()).filter(({ service }) => service === 'guardrails');
  const judging = running.filter(({ stages }) => stages.some((stage) => /^process(Output|LLMResponse)/.test(stage)));
  const known = new Set(cases.flatMap(([id, { late: entries }]) => (entries ? [id] : [])));
  expect(new Set(judging.map(({ id }) => id))).toEqual(known);
});

describe.each(names)('%s', (first) => {
  test('passes a text that is changed late, before and after each other processor, as it passes a text of the model', async () => {
    await Promise.all(
      pairs
        .filter((pair) => pair.first === first && pair.second !== first)
        .map(async ({ second, at, place }) => {
          const list = [first, second].map((name, index) => ({ ...ENTRIES.get(name)?.entry, as: `entry-${index}` }));
          const once = await ask(FIRST, list);
          const expected = await ask(rewrite(once.result), list);
          const isStep = (at + place) % 2 === 0 || isAtStep(first) || isAtStep(second);
          const stage = isStep ? 'step' : 'result';
          const release = RELEASES[(at * 3 + place) % RELEASES.length] ?? 'chunk';
          const changed = await ask(FIRST, [...list, { use: 'late-writer', options: { stage } }], { release });
          const { status, result } = expected;
          expect(changed, `${first}, ${second}, ${stage}, ${release}`).toEqual({
            status,
            result,
            reader: result,
            thread: result,
          });
        }),
    );
  }, 120_000);
});

test('The text of a halt passes a limit that the answer has used up', async () => {
  const limiter = { use: 'token-limiter', options: { limit: 6 } };
  const { result, reader } = await ask('Ada has left the office for good today.', [limiter, 'late-halter']);
  expect([result, reader]).toEqual(['Ask Ada.', 'Ask Ada.']);
});
