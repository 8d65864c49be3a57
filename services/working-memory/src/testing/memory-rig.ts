// A working-memory processor with its own store and a model over real HTTP.
import type { JsonObject, Message } from '@millrace/contracts';
import { createModels } from '@millrace/models';
import { startTestProvider } from '@millrace/models/testing';
import { readMessageText } from '@millrace/contracts';
import { type ProcessorDefinition } from '@millrace/processor';
import { defineMethods } from '@millrace/testkit';
import type { MemoryOwner, WorkingMemoryStore } from '../store/memory-store.ts';
import { openSqliteMemoryStore } from '../stores/sqlite/sqlite-memory-store.ts';
import { defineWorkingMemory } from '../processor/working-memory.ts';

export const ada: MemoryOwner = { tenant: 'default', key: 'ada' };

export async function createMemoryRig() {
  const provider = await startTestProvider();
  const kept = openSqliteMemoryStore({ path: ':memory:' });
  const calls: (keyof WorkingMemoryStore)[] = [];
  const store: WorkingMemoryStore = {
    read: (...args) => (calls.push('read'), kept.read(...args)),
    readForRun: (...args) => (calls.push('readForRun'), kept.readForRun(...args)),
    compareAndSet: (...args) => (calls.push('compareAndSet'), kept.compareAndSet(...args)),
    markRun: (...args) => (calls.push('markRun'), kept.markRun(...args)),
    forget: (...args) => (calls.push('forget'), kept.forget(...args)),
    eraseOwner: (...args) => kept.eraseOwner(...args),
    close: () => kept.close(),
  };
  const models = createModels({ apiKey: 'none', baseUrl: provider.baseUrl });
  return {
    provider,
    /** Calls of the processor to its store. */
    calls,
    definition: defineWorkingMemory({ store, models, defaultModel: 'openai/gpt-5-mini' }),
    memory: async (owner = ada) => (await kept.read(owner)).memory,
    seed: async (memory: JsonObject, owner = ada) => {
      const { version } = await kept.read(owner);
      await kept.compareAndSet({ owner, run: { runId: `seed-${version}`, epoch: 1 }, version, memory });
    },
    async close() {
      await kept.close();
      await provider.close();
    },
  };
}

/** Test double for a processor of another service: blocks every matching input, and redacts matches in answers. */
export function guard(id: string, { blocks, redacts }: { blocks?: RegExp; redacts?: RegExp }): ProcessorDefinition {
  const judge = (messages: Message[], abort: (reason: string) => never) => {
    if (blocks && messages.some((message) => blocks.test(readMessageText(message)))) abort('blocked');
  };
  const redact = (message: Message): Message => {
    const text = readMessageText(message).replaceAll(redacts ?? /$^/g, '[REDACTED]');
    return { ...message, content: { format: 2, parts: [{ type: 'text', text }] } };
  };
  return defineMethods(
    id,
    {
      processInput: ({ messages, abort }) => {
        judge(messages, abort);
        return messages.map(redact);
      },
      processOutputResult: ({ messages, abort }) => {
        judge(messages, abort);
        return messages.map(redact);
      },
    },
    { reads: ['input', 'response'] },
  );
}
