// A processor halts or aborts a run with memory: no result, replay or store contains the rejected words.
import { readMessageText } from '@millrace/contracts';
import { defineProcessor, useNats, useProcessors, useRedis, useStack } from '@millrace/testkit';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { collect, joinText } from './collect.ts';
import { script } from './script.ts';

const nats = useNats();
const redis = useRedis();

const judge = defineProcessor({
  id: 'judge',
  description: 'halts or aborts at one stage',
  stages: ['processInput', 'processOutputStream', 'processLLMResponse', 'processOutputStep', 'processOutputResult'],
  reads: [],
  options: z.strictObject({ at: z.string(), abort: z.boolean().default(false) }),
  create({ at, abort: aborts }) {
    const stop =
      (stage: string) =>
      ({ halt, abort }: { halt(text: string): never; abort(reason: string): never }) => {
        if (stage !== at) return undefined;
        return aborts ? abort('not that') : halt('Something else.');
      };
    return {
      id: 'judge',
      processInput: stop('processInput'),
      processLLMResponse: stop('processLLMResponse'),
      processOutputStep: stop('processOutputStep'),
      processOutputResult: stop('processOutputResult'),
      processOutputStream: async (args) => {
        if (args.part.type === 'text-delta' && args.part.payload.text.includes('words'))
          stop('processOutputStream')(args);
        return args.part;
      },
    };
  },
});

useProcessors(nats, [judge]);
const stack = useStack(nats, ['orchestrator', 'message-history'], () => ({ REDIS_URL: redis.url }));

const LATER = ['processOutputStream', 'processOutputStep', 'processOutputResult'];

async function runJudged(at: string, abort: boolean) {
  const name = `judged-${at}-${abort}`;
  const options = { at, abort };
  const lists = { input: [{ use: 'judge', options }], output: [{ use: 'judge', options }], memory: {} };
  await stack.client.agents.apply({ name, model: 'openai/gpt-5-mini', flushMs: 0, ...lists });
  const words = script({ text: 'the rejected words', chunkSize: 100 });
  const run = await stack.client.start(name, words, { threadId: name, resourceId: 'ada' });
  const chunks = await collect(run);
  const result = await run.result();
  const replayed = await collect(await stack.client.follow(run.runId));
  const { messages } = await stack.client.threads.messages(name).catch(() => ({ messages: [] }));
  return { chunks, result, replayed, stored: messages.map((message) => `${message.role} ${readMessageText(message)}`) };
}

describe('halted runs', () => {
  test("a halt before the model's answer stores nothing", async () => {
    const { result, stored } = await runJudged('processInput', false);
    expect(result).toMatchObject({ status: 'finished', text: 'Something else.', finishReason: 'halted' });
    expect(stored).toEqual([]);
  });

  test.each(LATER)('a halt at %s stores the question and the given text, and no rejected word remains', async (at) => {
    const { result, replayed, stored } = await runJudged(at, false);
    expect(result).toMatchObject({ status: 'finished', text: 'Something else.', finishReason: 'halted' });
    expect(joinText(replayed)).toBe('Something else.');
    expect(stored.map((line) => line.split(' ')[0])).toEqual(['user', 'assistant']);
    expect(stored[1]).toBe('assistant Something else.');
    expect(JSON.stringify({ messages: result.messages, steps: result.steps, replayed })).not.toContain('rejected');
  });
});

describe('aborted runs', () => {
  test.each(['processInput', 'processLLMResponse', ...LATER])(
    'an abort at %s stores nothing of the turn, and no rejected word remains',
    async (at) => {
      const { chunks, result, replayed, stored } = await runJudged(at, true);
      expect(chunks.filter(({ type }) => type === 'tripwire')).toHaveLength(1);
      expect(result).toMatchObject({ status: 'aborted', text: '', messages: [], steps: [] });
      expect(JSON.stringify({ result, replayed })).not.toContain('rejected');
      expect(stored).toEqual([]);
    },
  );
});
