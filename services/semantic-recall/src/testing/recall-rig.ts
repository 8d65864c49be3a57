// A semantic-recall processor with its own store and an embedder over real HTTP, and helpers that run it.
import { readMessageText, buildTextMessage, type JsonObject, type Message } from '@millrace/contracts';
import { createModels } from '@millrace/models';
import { startTestProvider } from '@millrace/models/testing';
import { type ProcessorDefinition } from '@millrace/processor';
import { defineSemanticRecall } from '../processor/semantic-recall.ts';
import { openSqliteVectorStore } from '../stores/sqlite/sqlite-vector-store.ts';
import type { NearestQuery, VectorStore } from '../store/vector-store.ts';
import { aRun, callStages, defineMethods, type StageCallInput } from '@millrace/testkit';

type RecallTurn = { user: string; assistant?: string; run?: Parameters<typeof aRun>[0] };

export async function createRecallRig() {
  const provider = await startTestProvider();
  const kept = openSqliteVectorStore({ path: ':memory:' });
  const queries: NearestQuery[] = [];
  let saves = 0;
  const store: VectorStore = {
    saveRun: (...args) => (saves++, kept.saveRun(...args)),
    findKnown: (...args) => kept.findKnown(...args),
    findNearest: (space, query, signal) => (queries.push(query), kept.findNearest(space, query, signal)),
    findSurrounding: (...args) => kept.findSurrounding(...args),
    deleteThread: (...args) => kept.deleteThread(...args),
    deleteMessages: (...args) => kept.deleteMessages(...args),
    eraseOwner: (...args) => kept.eraseOwner(...args),
    close: () => kept.close(),
  };
  const embedder = createModels({ apiKey: 'none', baseUrl: provider.baseUrl }).createEmbedder('openai/test');
  const definition = defineSemanticRecall({ store, embedder });
  let runs = 0;

  const callInput = (options: JsonObject = {}, changes: Partial<StageCallInput> = {}) =>
    callStages({ stage: 'processInput', uses: [{ definition, options }], input: ['Hello'], ...changes });
  const callOutput = (changes: Partial<StageCallInput> = {}) =>
    callStages({ stage: 'processOutputResult', uses: [{ definition }], ...changes });

  return {
    provider,
    definition,
    queries,
    saves: () => saves,
    callInput,
    callOutput,
    /** Indexes the messages of a finished run. */
    async say({ user, assistant = 'Noted.', run = {} }: RecallTurn) {
      const ref = aRun({ runId: `earlier-${runs++}`, ...run });
      const said = [buildTextMessage(`${ref.runId}-user`, 'user', user)];
      const answered = [buildTextMessage(`${ref.runId}.0`, 'assistant', assistant)];
      await callOutput({ run: ref, input: said, response: answered });
    },
    /** Returns the system message of a run with `text`. */
    async recallText(text: string, options: JsonObject = {}, run: Parameters<typeof aRun>[0] = {}): Promise<string> {
      const { system } = await callInput(options, { input: [text], run: aRun({ runId: 'now', ...run }) });
      return system('semantic-recall').join('\n');
    },
    breakStore: () => kept.close(),
    async close() {
      await kept.close();
      await provider.close();
    },
  };
}

/** Test double for a processor of another service: maps the text of the input, or blocks a matching one. */
export function inputProcessor(id: string, { blocks, map }: { blocks?: RegExp; map?: (text: string) => string }) {
  const mapText = (message: Message): Message => {
    const text = map ? map(readMessageText(message)) : readMessageText(message);
    return { ...message, content: { format: 2, parts: [{ type: 'text', text }] } };
  };
  const definition: ProcessorDefinition = defineMethods(
    id,
    {
      processInput: ({ messages, abort }) => {
        if (messages.some((message) => blocks?.test(readMessageText(message)))) abort('blocked');
        return messages.map(mapText);
      },
    },
    { reads: ['input'] },
  );
  return definition;
}
