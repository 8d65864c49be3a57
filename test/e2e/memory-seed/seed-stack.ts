// The stack of the named tests of memory: real services with the Redis and the Qdrant of the run. A proxy records each request to the
// model's provider, embeddings included.
import { readMessageText, type JsonObject, type Message } from '@millrace/contracts';
import { defineMethods, defineProcessor, useNats, useProcessors, useRedis, useStack } from '@millrace/testkit';
import { beforeAll } from 'vitest';
import { z } from 'zod';
import { useModelProxy } from '../model-proxy.ts';
import { useRecallStore, type RecallStore } from '../recall-store.ts';
import { script } from '../script.ts';

type SeedAnswer = { threadId: string; status: string; text: string; runId: string };
export type SeedStack = {
  /** Bodies of the requests to the provider. */
  bodies: unknown[];
  vectors: RecallStore;
  /** Runs an agent with these lists, and memory where the lists name it. */
  ask(agent: JsonObject, text: string, where?: { threadId?: string; resourceId?: string }): Promise<SeedAnswer>;
  listSaved(threadId: string): Promise<Message[]>;
  readMemory(resourceId: string): Promise<JsonObject | null>;
  /** Lists the processors that the run called. */
  listCalled(runId: string): Promise<string[]>;
};

const cut = defineProcessor({
  id: 'large-message-summarizer',
  description: 'Shortens a long answer at the end of the run.',
  stages: ['processOutputResult'],
  reads: ['response'],
  options: z.strictObject({ maxLength: z.int() }),
  create: ({ maxLength }) => ({
    id: 'large-message-summarizer',
    processOutputResult: ({ messages }) =>
      messages.map((message) => {
        const text = readMessageText(message);
        if (message.role !== 'assistant' || text.length <= maxLength) return message;
        const parts = [{ type: 'text' as const, text: `${text.slice(0, maxLength)}... [summarized]` }];
        const metadata = { ...message.content.metadata, summarized: true, originalLength: text.length };
        return { ...message, content: { ...message.content, parts, metadata } };
      }),
  }),
});
/** Stops a run about a restricted topic. */
const topics = defineMethods(
  'custom-validator',
  {
    processInput: ({ messages, abort }) => {
      if (messages.some((message) => readMessageText(message).includes('[restricted topic]')))
        abort('Restricted topic');
    },
  },
  { reads: ['input'] },
);
/** Throws at the end of each run. */
const faulty = defineMethods('faulty-processor', {
  processOutputResult: () => {
    throw new Error('Processing failed');
  },
});

/** Text that dev-model answers, in pieces. */
export const answering = (text: string): string => script({ text, chunkSize: 9 });

export function useSeedStack(store: 'qdrant' | 'embedded' = 'qdrant'): SeedStack {
  const nats = useNats();
  const redis = useRedis();
  useProcessors(nats, [cut, topics, faulty], 'seed-processors');
  const vectors = useRecallStore(store);
  const services = ['guardrails', 'tools', 'message-history', 'working-memory'];
  const stack = useStack(nats, services, () => ({ REDIS_URL: redis.url }));
  const { bodies, startService } = useModelProxy(stack);
  beforeAll(() => startService('semantic-recall', vectors.env), 120_000);
  let agents = 0;
  return {
    bodies,
    vectors,
    async ask(agent, text, { threadId = crypto.randomUUID(), resourceId } = {}) {
      const name = `seed-${(agents += 1)}`;
      const base = { model: 'openai/gpt-5-mini', instructions: 'Answer.', flushMs: 0 };
      await stack.client.agents.apply({ ...base, ...agent, name });
      const run = await stack.client.start(name, text, { threadId, ...(resourceId !== undefined && { resourceId }) });
      const result = await run.result();
      return { threadId, status: result.status, text: result.text, runId: run.runId };
    },
    listSaved: async (threadId) =>
      stack.client.threads.messages(threadId).then(
        ({ messages }) => messages,
        () => [],
      ),
    readMemory: async (resourceId) => (await stack.client.memory.get({ resourceId })).memory,
    listCalled: async (runId) =>
      (await stack.client.runs.events(runId)).flatMap((event) =>
        event.event === 'stage' ? event.entries.map(({ processor }) => processor) : [],
      ),
  };
}

/** Counts words and marks, at least as many as the tokens that the limiter counts. */
export const countWords = (text: string): number => (text.match(/\w+|[^\w\s]/g) ?? []).length;
