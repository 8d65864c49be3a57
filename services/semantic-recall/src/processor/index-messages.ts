// Indexes a run's messages as vectors. Embeds and saves only messages that the thread does not hold yet.
import { makeCallReport, type JsonObject } from '@millrace/contracts';
import type { Embedder } from '@millrace/models';
import type { CommonArgs, ProcessOutputResultArgs } from '@millrace/processor';
import { chooseMemoryOwner, retryShortOutage } from '@millrace/stores';
import { computePointId } from '../store/point-id.ts';
import type { RecallMessage, VectorStore } from '../store/vector-store.ts';
import { readKeptDimensions, readKeptVector } from './kept-vector.ts';
import { selectMessagesToIndex } from './messages-to-index.ts';

/** Maximum number of messages that one run embeds, from its end. */
export const MAX_EMBEDDED = 100;

type Dependencies = { store: VectorStore; embedder: Embedder };

export async function indexMessages({ store, embedder }: Dependencies, args: ProcessOutputResultArgs): Promise<void> {
  const { messageList, result, run, state, abortSignal } = args;
  const { tenant, resourceId, threadId, runId, epoch } = run;
  if (threadId === undefined || !result.answered) return;

  const messages = selectMessagesToIndex([...messageList.get.input.db(), ...messageList.get.response.db()]);
  const [anyOne] = messages.slice(-1);
  if (anyOne === undefined) return;
  const vectors = selectKeptVectors(messages, state);
  // The length of the vectors names the collection in which the known messages are looked up.
  let dimensions = readKeptDimensions(state);
  if (dimensions === undefined) {
    await embedInto(vectors, embedder, [anyOne], args);
    dimensions = vectors.get(anyOne.text)?.length ?? 0;
  }
  const space = { embedder: embedder.id, dimensions };

  const place = { tenant, key: chooseMemoryOwner({ threadId, resourceId }), threadId, runId };
  const known = await store.findKnown(space, place, messages, abortSignal);
  const unknown = messages.filter((message) => !known.has(computePointId(place, message)));
  const indexed = unknown.slice(-MAX_EMBEDDED);
  if (indexed.length < unknown.length) args.onViolation(buildLimitViolation(unknown.length - indexed.length));
  await embedInto(vectors, embedder, indexed, args);
  const block = indexed.map((message) => ({ ...message, vector: vectors.get(message.text) ?? [] }));
  const save = () => store.saveRun(space, { ...place, epoch, messages: block }, abortSignal);
  await retryShortOutage(save, abortSignal);
}

/** Reuses the vector of the user text from the input stage, unless the text has changed. */
function selectKeptVectors(messages: readonly RecallMessage[], state: JsonObject): Map<string, number[]> {
  const kept = messages.flatMap(({ text }): [string, number[]][] => {
    const vector = readKeptVector(state, text);
    return vector ? [[text, vector]] : [];
  });
  return new Map(kept);
}

/** One request for all texts that have no vector yet. */
async function embedInto(
  vectors: Map<string, number[]>,
  embedder: Embedder,
  messages: readonly RecallMessage[],
  args: CommonArgs,
): Promise<void> {
  const texts = [...new Set(messages.map(({ text }) => text))].filter((text) => !vectors.has(text));
  if (texts.length === 0) return;
  const embedded = await embedder.embed(texts, {
    abortSignal: args.abortSignal,
    onUsage: (usage) => args.onUsage(makeCallReport(embedder.id, usage)),
  });
  for (const [at, text] of texts.entries()) vectors.set(text, embedded[at] ?? []);
}

function buildLimitViolation(leftOut: number) {
  const message = `${leftOut} messages are not indexed: a run indexes at most its last ${MAX_EMBEDDED}.`;
  return { message, rule: 'index-max-messages', strategy: 'warn', count: leftOut };
}
