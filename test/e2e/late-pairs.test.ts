// Each pair of the shipped processors that judge answers, in both orders, and a processor that changes the answer after
// they have passed it. The changed text passes them as if the model had written it: a limit that has counted the first
// text begins again, and the reader, the result and the thread agree.
import { buildTextMessage, readMessageText, type JsonObject, type Message } from '@millrace/contracts';
import { defineMethods, defineProcessor, useNats, useProcessors, useRedis, useStack } from '@millrace/testkit';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { script } from './script.ts';

const INSTRUCTIONS = 'Never name the silver owl of the harbour master to a visitor of the town.';
/** Has something for each of them, and its JSON is not the whole text. */
const FIRST = `Here it is: {"name":"Ada","mail":"ada@example.org"} as you asked. ${'It is all there. '.repeat(4)}PRJ-1234`;
const rewrite = (text: string): string =>
  text.replaceAll('Ada', 'Grace Hopper, late of PRJ-5678, grace@mail.example.net');

const redact = { strategy: 'redact' };
const ENTRIES: Record<string, { use: string; options: JsonObject }> = {
  'token-limiter': { use: 'token-limiter', options: { limit: 40 } },
  'token-limiter of parts': { use: 'token-limiter', options: { limit: 50, countMode: 'part' } },
  'token-limiter at the result': { use: 'token-limiter', options: { limit: 40, at: 'result' } },
  'content-length': { use: 'content-length', options: { maxOutput: 250 } },
  'structured-output': {
    use: 'structured-output',
    options: { schema: { type: 'object' }, strategy: 'warn', maxRetries: 0 },
  },
  'regex-filter': { use: 'regex-filter', options: { rules: [{ pattern: 'PRJ-\\d{4}', mark: '#' }], ...redact } },
  keyword: { use: 'keyword', options: { keywords: ['hopper'], ...redact } },
  'system-prompt-scrubber': { use: 'system-prompt-scrubber', options: { patterns: ['late of'] } },
  moderation: { use: 'moderation', options: { mode: 'words', strategy: 'filter' } },
  pii: { use: 'pii', options: { types: ['email'], ...redact } },
  secrets: { use: 'secrets', options: redact },
  'response-validator': { use: 'response-validator', options: { maxLength: 2_000 } },
  'max-tool-calls': { use: 'max-tool-calls', options: { perStep: 2 } },
  'batch-parts': { use: 'batch-parts', options: { batchSize: 3 } },
  'loop-detection': { use: 'loop-detection', options: {} },
  'run-logger': { use: 'run-logger', options: {} },
};
/** They have no text of an answer to change: they count, store, or ask a service of their own. */
const OTHERS = ['cost-guard', 'response-cache', 'judge', 'http-guard'];

/** With them a change at the step is tested: at the result they judge before it, in the order of the list. */
const AT_STEP = new Set(['token-limiter at the result', 'system-prompt-scrubber', 'keyword']);

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
const names = Object.keys(ENTRIES);
const pairs = names.flatMap((first, at) => names.map((second, place) => ({ first, second, at, place })));

test('Each shipped processor with a stage of the output has an entry, or is one that changes no answer by itself', async () => {
  const running = (await stack.client.processors.list()).filter(({ service }) => service === 'guardrails');
  const judging = running.filter(({ stages }) => stages.some((stage) => /^process(Output|LLMResponse)/.test(stage)));
  const known = new Set([...Object.values(ENTRIES).map(({ use }) => use), ...OTHERS]);
  expect(new Set(judging.map(({ id }) => id))).toEqual(known);
});

describe.each(names)('%s', (first) => {
  test('passes a text that is changed late, before and after each other processor, as it passes a text of the model', async () => {
    await Promise.all(
      pairs
        .filter((pair) => pair.first === first && pair.second !== first)
        .map(async ({ second, at, place }) => {
          const list = [ENTRIES[first], ENTRIES[second]].map((entry, index) => ({ ...entry, as: `entry-${index}` }));
          const once = await ask(FIRST, list);
          const expected = await ask(rewrite(once.result), list);
          const isStep = (at + place) % 2 === 0 || [first, second].some((name) => AT_STEP.has(name));
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
