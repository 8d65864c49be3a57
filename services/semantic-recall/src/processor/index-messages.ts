// What was said in a run, as vectors in the store: only what the thread does not hold yet is embedded and saved.
import type { JsonObject } from '@millrace/contracts';
import type { Embedder } from '@millrace/models';
import type { ProcessOutputResultArgs } from '@millrace/processor';
import { memoryOwner, throughShortOutage } from '@millrace/stores';
import { pointId } from '../store/point-id.ts';
import type { RecallMessage, VectorStore } from '../store/vector-store.ts';
import { keptDimensions, keptVector } from './kept-vector.ts';
import { messagesToIndex } from './messages-to-index.ts';

/** The most that one run embeds, of its last messages. */
export const MAX_EMBEDDED = 100;

type Dependencies = { store: VectorStore; embedder: Embedder };

export async function indexMessages({ store, embedder }: Dependencies, args: ProcessOutputResultArgs): Promise<void> {
  const { messageList, result, run, state, abortSignal } = args;
  const { tenant, resourceId, threadId, runId, epoch } = run;
  if (threadId === undefined || !result.answered) return;

  const messages = messagesToIndex([...messageList.get.input.db(), ...messageList.get.response.db()]);
  const [anyOne] = messages.slice(-1);
  if (anyOne === undefined) return;
  const vectors = keptVectors(messages, state);
  // How long the embedder's vectors are says where to look for what the thread holds.
  let dimensions = keptDimensions(state);
  if (dimensions === undefined) {
    await embedInto(vectors, embedder, [anyOne], abortSignal);
    dimensions = vectors.get(anyOne.text)?.length ?? 0;
  }
  const space = { embedder: embedder.id, dimensions };

  const place = { tenant, key: memoryOwner({ threadId, resourceId }), threadId, runId };
  const known = await store.findKnown(space, place, messages, abortSignal);
  const unknown = messages.filter((message) => !known.has(pointId(place, message)));
  const indexed = unknown.slice(-MAX_EMBEDDED);
  if (indexed.length < unknown.length) args.onViolation(tooMany(unknown.length - indexed.length));
  await embedInto(vectors, embedder, indexed, abortSignal);
  const block = indexed.map((message) => ({ ...message, vector: vectors.get(message.text) ?? [] }));
  const save = () => store.saveRun(space, { ...place, epoch, messages: block }, abortSignal);
  await throughShortOutage(save, abortSignal);
}

/** The user text was embedded at the input, and is as it was in most runs. */
function keptVectors(messages: readonly RecallMessage[], state: JsonObject): Map<string, number[]> {
  const kept = messages.flatMap(({ text }): [string, number[]][] => {
    const vector = keptVector(state, text);
    return vector ? [[text, vector]] : [];
  });
  return new Map(kept);
}

/** One request for all texts that have no vector yet. */
async function embedInto(
  vectors: Map<string, number[]>,
  embedder: Embedder,
  messages: readonly RecallMessage[],
  abortSignal: AbortSignal,
): Promise<void> {
  const texts = [...new Set(messages.map(({ text }) => text))].filter((text) => !vectors.has(text));
  if (texts.length === 0) return;
  const embedded = await embedder.embed(texts, { abortSignal });
  for (const [at, text] of texts.entries()) vectors.set(text, embedded[at] ?? []);
}

function tooMany(leftOut: number) {
  const message = `${leftOut} messages are not indexed: a run indexes its last ${MAX_EMBEDDED}.`;
  return { message, rule: 'index-max-messages', strategy: 'warn', count: leftOut };
}
