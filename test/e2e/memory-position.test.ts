// Memory stores an answer as it is at memory's position in the output list: entries before it have changed the stored
// text, and entries behind it change the text for readers alone.
import { buildTextMessage, readMessageText, type JsonObject, type Message } from '@millrace/contracts';
import { defineProcessor, useNats, useProcessors, useRedis, useStack } from '@millrace/testkit';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { script } from './script.ts';

const ANSWER = 'Write to ada@example.org, and she will answer you within two or three days.';
const MASKED = ANSWER.replace('ada@example.org', '***@***.***');
const shorten = { use: 'token-limiter', options: { limit: 8 } };
const mask = { use: 'pii', options: { types: ['email'], strategy: 'redact' } };

const withText = (message: Message, change: (text: string) => string): Message => {
  const parts = message.content.parts.map((part) =>
    part.type === 'text' && message.role === 'assistant' ? { ...part, text: change(part.text) } : part,
  );
  return { ...message, content: { ...message.content, parts } };
};
const greeter = defineProcessor({
  id: 'place-greeter',
  description: 'Puts a greeting before the whole answer, at the end of the step or of the run.',
  stages: ['processOutputStep', 'processOutputResult'],
  reads: ['response'],
  options: z.strictObject({ stage: z.enum(['step', 'result', 'none']) }),
  create: ({ stage }) => {
    const greet = (messages: readonly Message[]) => messages.map((one) => withText(one, (text) => `Dear Bob: ${text}`));
    return {
      id: 'place-greeter',
      processOutputStep: ({ messages }) => (stage === 'step' ? greet(messages) : undefined),
      processOutputResult: ({ messages }) => (stage === 'result' ? greet(messages) : undefined),
    };
  },
});

const eraser = defineProcessor({
  id: 'place-eraser',
  description: 'Judges the stream, and replaces the whole answer at the end of the step or of the run.',
  stages: ['processOutputStream', 'processOutputStep', 'processOutputResult'],
  reads: ['response'],
  options: z.strictObject({ stage: z.enum(['step', 'result']), to: z.string() }),
  create: ({ stage, to }) => {
    const erase = (messages: readonly Message[]) => messages.map((one) => withText(one, () => to));
    return {
      id: 'place-eraser',
      processOutputStream: async ({ part }) => part,
      processOutputStep: ({ messages }) => (stage === 'step' ? erase(messages) : undefined),
      processOutputResult: ({ messages }) => (stage === 'result' ? erase(messages) : undefined),
    };
  },
});

const nats = useNats();
const redis = useRedis();
useProcessors(nats, [greeter, eraser], 'place-greeters');
const stack = useStack(nats, ['orchestrator', 'guardrails', 'message-history'], () => ({ REDIS_URL: redis.url }));

type Kept = { reader: string; thread: string };
let agents = 0;

async function ask(output: (JsonObject | string)[], more: JsonObject = {}, threadId: string = crypto.randomUUID()) {
  const name = `place-${(agents += 1)}`;
  const base = { model: 'openai/gpt-5-mini', instructions: 'Answer.', flushMs: 0, memory: { lastMessages: 10 } };
  await stack.client.agents.apply({ ...base, name, output, ...more });
  const asked = [buildTextMessage(crypto.randomUUID(), 'user', script({ text: ANSWER, chunkSize: 5 }))];
  const { text, status } = await (await stack.client.start(name, asked, { threadId })).result();
  expect(status).toBe('finished');
  const { messages } = await stack.client.threads.messages(threadId);
  const answers = messages.filter(({ role }) => role === 'assistant').map(readMessageText);
  return { reader: text, thread: answers.at(-1) ?? '' } satisfies Kept;
}

describe.each(['chunk', 'step', 'result'])('with `release: %s`, memory stores', (release) => {
  test.each<[string, (JsonObject | string)[], (kept: Kept) => void]>([
    ['the whole answer before a limit', ['memory', shorten], ({ thread }) => expect(thread).toBe(ANSWER)],
    [
      'the whole masked answer between a mask and a limit',
      [mask, 'memory', shorten],
      ({ thread }) => expect(thread).toBe(MASKED),
    ],
    [
      'the limited answer with its address before a mask',
      [shorten, 'memory', mask],
      ({ thread, reader }) => {
        expect(thread).toContain('ada@example.org');
        expect(ANSWER.startsWith(thread)).toBe(true);
        expect(reader).not.toContain('ada@');
      },
    ],
    [
      'the whole answer before a limit at the result',
      ['memory', { ...shorten, options: { limit: 8, at: 'result' } }],
      ({ thread }) => expect(thread).toBe(ANSWER),
    ],
    [
      'a masked text that an entry before it adds late',
      [mask, { use: 'place-greeter', options: { stage: 'step' } }, 'memory', shorten],
      ({ thread, reader }) => {
        expect(thread).toContain('Dear Bob');
        expect(thread).not.toContain('ada@');
        expect(thread.startsWith(reader)).toBe(true);
      },
    ],
  ])('%s', async (_what, output, check) => {
    const kept = await ask(output, { release });
    check(kept);
    expect(kept.reader.length).toBeLessThan(ANSWER.length);
  });

  test.each([
    ['step', ''],
    ['result', ''],
    ['step', 'Ask the office.'],
    ['result', 'Ask the office.'],
  ])('nothing of an answer that an entry before it has replaced at the %s by "%s"', async (stage, to) => {
    const { thread } = await ask([{ use: 'place-eraser', options: { stage, to } }, 'memory', shorten], { release });
    expect(thread).toBe(to);
  });

  test('the answer of the readers if it is last, and if an entry before it judges whole answers alone', async () => {
    const judge = { use: 'place-greeter', options: { stage: 'none' } };
    for (const output of [
      [shorten, 'memory'],
      [judge, 'memory', shorten],
      [{ use: 'response-validator', options: { maxLength: 500 } }, 'memory', shorten],
    ]) {
      const { reader, thread } = await ask(output, { release });
      expect(thread).toBe(reader);
      expect(reader.length).toBeLessThan(ANSWER.length);
    }
  });
});

test('The next prompt of the thread has the text that memory stored', async () => {
  const threadId = crypto.randomUUID();
  await ask(['memory', shorten], {}, threadId);
  await stack.client.agents.apply({
    name: 'place-next',
    model: 'openai/gpt-5-mini',
    instructions: 'Answer.',
    memory: { lastMessages: 10 },
  });
  const run = await stack.client.start('place-next', [buildTextMessage(crypto.randomUUID(), 'user', 'And then?')], {
    threadId,
  });
  await run.result();
  const { messages } = await stack.client.threads.messages(threadId);
  expect(messages.map(readMessageText)[1]).toBe(ANSWER);
});
