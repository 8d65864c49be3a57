// semantic-recall: what was said earlier and is near in meaning to what the user says now, shown to the model before the run;
// what was said in the run, indexed after it. It judges nothing: what it embeds is what stands in the message list at its
// place, so guards belong before it. What fails is thrown as a coded error; that the run then goes on is its policy.
import type { JsonObject } from '@millrace/contracts';
import type { Embedder } from '@millrace/models';
import {
  defineProcessor,
  type ProcessInputArgs,
  type ProcessorDefinition,
  type ProcessOutputResultArgs,
} from '@millrace/processor';
import { memoryOwner } from '@millrace/stores';
import { keepVector, keptVector } from './kept-vector.ts';
import { optionsSchema, rangeOf, type Options } from './options.ts';
import { recalledText } from './recalled-text.ts';
import { messagesToIndex, textToEmbed } from './messages-to-index.ts';
import type { VectorSpace, VectorStore } from '../store/vector-store.ts';

/** The tag of its system message; the orchestrator orders the memories in the prompt by their tags. */
const SYSTEM_TAG = 'semantic-recall';

export type RecallDependencies = { store: VectorStore; embedder: Embedder };

export const semanticRecall = (dependencies: RecallDependencies): ProcessorDefinition =>
  defineProcessor({
    id: 'semantic-recall',
    description: 'Shows the model what was said earlier about the same, and indexes what is said.',
    aliases: ['SemanticRecallProcessor'],
    stages: ['processInput', 'processOutputResult'],
    reads: ['input', 'response'],
    policy: { onFailure: 'skip' },
    options: optionsSchema,
    create: (options) => ({
      id: 'semantic-recall',
      processInput: (args) => recall(dependencies, options, args),
      processOutputResult: (args) => index(dependencies, args),
    }),
  });

async function recall({ store, embedder }: RecallDependencies, options: Options, args: ProcessInputArgs) {
  const { messageList, run, state, abortSignal } = args;
  const { tenant, resourceId, threadId, runId } = run;
  const text = textToEmbed(messageList.getLatestUserContent());
  if (threadId === undefined || text === '') return;

  const vector = keptVector(state, text) ?? (await embedOne(embedder, text, abortSignal));
  keepVector(state, text, vector);
  if (vector.every((value) => value === 0)) return;

  const space = spaceOf(embedder, vector);
  const { topK, threshold, scope } = options;
  const asker = { owner: { tenant, key: memoryOwner({ threadId, resourceId }) }, exceptRunId: runId };
  const within = scope === 'thread' ? threadId : undefined;
  const query = { ...asker, threadId: within, vector, topK, threshold };
  const hits = await store.findNearest(space, query, abortSignal);
  if (hits.length === 0) return;

  const neighbours = await store.findNeighbours(space, { ...asker, around: hits, ...rangeOf(options) }, abortSignal);
  const content = recalledText(hits, neighbours, threadId);
  if (content !== undefined) messageList.setSystem(SYSTEM_TAG, [content]);
}

async function index({ store, embedder }: RecallDependencies, args: ProcessOutputResultArgs) {
  const { messageList, result, run, state, abortSignal } = args;
  const { tenant, resourceId, threadId, runId, epoch } = run;
  if (threadId === undefined || !result.answered) return;

  const messages = messagesToIndex([...messageList.get.input.db(), ...messageList.get.response.db()]);
  const vectors = await vectorsOf(embedder, messages, state, abortSignal);
  const [first] = vectors;
  if (first === undefined) return;
  const block = messages.map((message, at) => ({ ...message, vector: vectors[at] ?? [] }));
  const key = memoryOwner({ threadId, resourceId });
  const saved = { tenant, key, threadId, runId, epoch, messages: block };
  await store.saveRun(spaceOf(embedder, first), saved, abortSignal);
}

/** One request for all that is not known yet: the user text was embedded at the input, and is as it was in most runs. */
async function vectorsOf(
  embedder: Embedder,
  messages: readonly { text: string }[],
  state: JsonObject,
  abortSignal: AbortSignal,
): Promise<number[][]> {
  const vectors = new Map<string, number[]>();
  for (const { text } of messages) {
    const kept = keptVector(state, text);
    if (kept) vectors.set(text, kept);
  }
  const unknown = [...new Set(messages.map(({ text }) => text))].filter((text) => !vectors.has(text));
  const embedded = await embedder.embed(unknown, { abortSignal });
  for (const [at, text] of unknown.entries()) vectors.set(text, embedded[at] ?? []);
  return messages.map(({ text }) => vectors.get(text) ?? []);
}

async function embedOne(embedder: Embedder, text: string, abortSignal: AbortSignal): Promise<number[]> {
  const [vector = []] = await embedder.embed([text], { abortSignal });
  return vector;
}

function spaceOf({ id }: Embedder, vector: readonly number[]): VectorSpace {
  return { embedder: id, dimensions: vector.length };
}
