// Shows the model earlier messages that are similar in meaning to the user's message, and indexes the run's messages
// afterwards. The processor does not judge: it embeds the message list at its position, so guards belong before it. A
// failure is thrown as a coded error; the policy lets the run continue.
import { MEMORY_POSITION, buildEntryTag, makeCallReport } from '@millrace/contracts';
import type { Embedder } from '@millrace/models';
import { defineProcessor, type CommonArgs, type ProcessInputArgs, type ProcessorDefinition } from '@millrace/processor';
import { chooseMemoryOwner } from '@millrace/stores';
import { indexMessages } from './index-messages.ts';
import { keepVector, readKeptVector } from './kept-vector.ts';
import { formatRecalled } from './recalled-text.ts';
import { chooseTextToEmbed } from './messages-to-index.ts';
import { listStoredIds } from '../store/match-forgotten.ts';
import type { RecalledMessage, VectorStore } from '../store/vector-store.ts';
import { z } from 'zod';

/** Tag of the system message. The orchestrator orders the memories in the prompt by their tags. */
const SYSTEM_TAG = 'semantic-recall';

/** Number of best hits that get surrounding messages; more would not fit the limit of a recall. */
const MAX_SURROUNDED = 20;

export type RecallDependencies = { store: VectorStore; embedder: Embedder };

/**
 * Embeds the last user message once per run, and shows the model the most similar earlier messages with the surrounding ones in one
 * system message. At the end of the run it indexes the run's messages, so guards belong before it. Without a thread it does nothing.
 *
 * @verdict continue: adds the system message if similar messages exist
 * @verdict failure: store or embedder cannot be reached; by default the run continues without it
 * @cannot Judge recalled texts: a text that the guards accepted once is shown again.
 * @cannot Recall across embedders: vectors of different models are not comparable.
 * @cannot Search for words: similarity is the embedder's measure of meaning.
 * @example
 * input:
 *   - use: semantic-recall
 *     options: { topK: 6, scope: thread }
 * output:
 *   - use: semantic-recall
 *     options: { topK: 6, scope: thread }
 */
export const defineSemanticRecall = (dependencies: RecallDependencies): ProcessorDefinition =>
  defineProcessor({
    id: 'semantic-recall',
    description: 'Shows the model earlier messages on the same topic and indexes new ones.',
    aliases: ['SemanticRecallProcessor'],
    stages: ['processInput', 'processOutputResult'],
    memoryKey: 'semanticRecall',
    positions: { input: MEMORY_POSITION + 10, output: MEMORY_POSITION + 10 },
    reads: ['input', 'response'],
    policy: { onFailure: 'skip' },
    options: optionsSchema,
    create: (options) => ({
      id: 'semantic-recall',
      processInput: (args) => recall(dependencies, options, args),
      processOutputResult: (args) => indexMessages(dependencies, args),
    }),
  });

async function recall({ store, embedder }: RecallDependencies, options: RecallOptions, args: ProcessInputArgs) {
  const { messageList, run, state, abortSignal, replaces = [] } = args;
  const { tenant, resourceId, threadId, runId } = run;
  const text = chooseTextToEmbed(messageList.getLatestUserContent());
  if (threadId === undefined || text === '') return;

  const vector = readKeptVector(state, text) ?? (await embedOne(embedder, text, args));
  keepVector(state, text, vector);
  if (vector.every((value) => value === 0)) return;

  const space = { embedder: embedder.id, dimensions: vector.length };
  const { topK, threshold, scope } = options;
  const asker = { owner: { tenant, key: chooseMemoryOwner({ threadId, resourceId }) }, exceptRunId: runId };
  const within = scope === 'thread' ? threadId : undefined;
  const query = { ...asker, threadId: within, vector, topK: topK + replaces.length, threshold };
  const replaced = new Set(listStoredIds(replaces.map((messageId) => ({ messageId, text: '' }))));
  const isKept = (found: RecalledMessage) => found.threadId !== threadId || !replaced.has(found.messageId);
  const hits = (await store.findNearest(space, query, abortSignal)).filter(isKept).slice(0, topK);
  if (hits.length === 0) return;

  const around = hits.slice(0, MAX_SURROUNDED);
  const surrounding = await store.findSurrounding(space, { ...asker, around, ...readRange(options) }, abortSignal);
  const recalled = formatRecalled(hits, surrounding.filter(isKept), threadId);
  if (!recalled) return;
  const label = { origin: `processor:${args.entry}`, trust: recalled.trust };
  messageList.setSystem(buildEntryTag(SYSTEM_TAG, 'semantic-recall', args.entry), [recalled.text], label);
}

async function embedOne(embedder: Embedder, text: string, args: CommonArgs): Promise<number[]> {
  const [vector = []] = await embedder.embed([text], {
    abortSignal: args.abortSignal,
    onUsage: (usage) => args.onUsage(makeCallReport(embedder.id, usage)),
  });
  return vector;
}

const surrounding = z.number().int().min(0).max(20);

const optionsSchema = z.strictObject({
  topK: z.number().int().min(1).max(100).default(4).describe('Number of messages to recall by meaning.'),
  messageRange: z
    .union([surrounding, z.strictObject({ before: surrounding, after: surrounding })])
    .default(1)
    .describe('Number of messages to recall before and after each of them.'),
  threshold: z
    .number()
    .min(-1)
    .max(1)
    .optional()
    .describe(
      'Minimum cosine similarity of a recalled message. Default: none. A suitable value depends on the embedder.',
    ),
  scope: z
    .enum(['resource', 'thread'])
    .default('resource')
    .describe('Whether to recall messages from all threads of the resource, or from this thread only.'),
});
type RecallOptions = z.output<typeof optionsSchema>;

function readRange({ messageRange }: RecallOptions): { before: number; after: number } {
  return typeof messageRange === 'number' ? { before: messageRange, after: messageRange } : messageRange;
}
