// semantic-recall: what was said earlier and is near in meaning to what the user says now, shown to the model before the run;
// what was said in the run, indexed after it. It judges nothing: what it embeds is what stands in the message list at its
// place, so guards belong before it. What fails is thrown as a coded error; that the run then goes on is its policy.
import { entryTag } from '@millrace/contracts';
import type { Embedder } from '@millrace/models';
import { defineProcessor, type ProcessInputArgs, type ProcessorDefinition } from '@millrace/processor';
import { memoryOwner } from '@millrace/stores';
import { indexMessages } from './index-messages.ts';
import { keepVector, keptVector } from './kept-vector.ts';
import { optionsSchema, rangeOf, type Options } from './options.ts';
import { recalledText } from './recalled-text.ts';
import { textToEmbed } from './messages-to-index.ts';
import type { VectorStore } from '../store/vector-store.ts';

/** The tag of its system message; the orchestrator orders the memories in the prompt by their tags. */
const SYSTEM_TAG = 'semantic-recall';

/** Beside which hits more is shown: the best hits alone, more would not fit into what a recall may add to a prompt. */
const MAX_SURROUNDED = 20;

export type RecallDependencies = { store: VectorStore; embedder: Embedder };

/**
 * Embeds what the user said last, once a run, and shows the nearest earlier messages with those around them in one system message. What
 * was said is indexed at the end of the run, so guards belong before it. Without a thread it does nothing.
 *
 * @verdict continue: with the system message, where something is near
 * @verdict failure: store or embedder cannot be reached; by default the run goes on without it
 * @cannot Judge what it recalls: a text that was let through once is shown again.
 * @cannot Recall across embedders: another model's vectors are another space.
 * @cannot Find words: nearness is of meaning, as the embedder has it.
 * @example
 * input:
 *   - use: semantic-recall
 *     options: { topK: 6, scope: thread }
 * output:
 *   - use: semantic-recall
 *     options: { topK: 6, scope: thread }
 */
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
      processOutputResult: (args) => indexMessages(dependencies, args),
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

  const space = { embedder: embedder.id, dimensions: vector.length };
  const { topK, threshold, scope } = options;
  const asker = { owner: { tenant, key: memoryOwner({ threadId, resourceId }) }, exceptRunId: runId };
  const within = scope === 'thread' ? threadId : undefined;
  const query = { ...asker, threadId: within, vector, topK, threshold };
  const hits = await store.findNearest(space, query, abortSignal);
  if (hits.length === 0) return;

  const around = hits.slice(0, MAX_SURROUNDED);
  const surrounding = await store.findSurrounding(space, { ...asker, around, ...rangeOf(options) }, abortSignal);
  const content = recalledText(hits, surrounding, threadId);
  if (content !== undefined) messageList.setSystem(entryTag(SYSTEM_TAG, 'semantic-recall', args.entry), [content]);
}

async function embedOne(embedder: Embedder, text: string, abortSignal: AbortSignal): Promise<number[]> {
  const [vector = []] = await embedder.embed([text], { abortSignal });
  return vector;
}
