// Builds stage calls for tests of processors: every member has a default, and a test sets the relevant ones.
import {
  emptyConversation,
  buildTextMessage,
  type CallEntry,
  type Chunk,
  type Conversation,
  type JsonObject,
  type MessageSource,
  type RunRef,
  type Stage,
  type StageCall,
  type StageInput,
} from '@millrace/contracts';
import type { CallContext } from '@millrace/processor';

const CALL_TIMEOUT_MS = 5_000;

export const TEST_RUN: RunRef = {
  tenant: 'default',
  runId: 'run-1',
  agent: 'demo',
  epoch: 1,
  threadId: 'thread-1',
  resourceId: 'ada',
};

/** An entry of `processor`, named like it. */
export function callEntry(processor: string, options: JsonObject = {}, more: Partial<CallEntry> = {}): CallEntry {
  return { entry: processor, processor, options, state: {}, ...more };
}

export function stageCall(
  stage: Stage,
  entries: CallEntry[],
  input: Partial<StageInput> = {},
  run: RunRef = TEST_RUN,
): StageCall {
  return {
    callId: crypto.randomUUID(),
    run,
    entries,
    requestContext: {},
    timeoutMs: CALL_TIMEOUT_MS,
    remainingMs: 60_000,
    stage,
    input: { retryCount: 0, stepNumber: 0, ...input },
  };
}

/** Builds the context of a replica's call. @param more for example `{ write: (chunk) => chunks.push(chunk) }` */
export function callContext(more: Partial<CallContext> = {}): CallContext {
  return {
    run: TEST_RUN,
    requestContext: {},
    trace: undefined,
    retryCount: 0,
    stepNumber: 0,
    signal: new AbortController().signal,
    write: () => undefined,
    ...more,
  };
}

/** User messages (the model's, for `response`) of the given texts, with ids such as `input-0`. */
export function buildConversation(
  texts: Partial<Record<MessageSource, string[]>>,
  system: string[] = [],
): Conversation {
  const sources: MessageSource[] = ['remembered', 'context', 'input', 'response'];
  const entries = sources.flatMap((source) =>
    (texts[source] ?? []).map((text, at) => {
      const message = buildTextMessage(`${source}-${at}`, source === 'response' ? 'assistant' : 'user', text);
      return { source, message: { ...message, createdAt: '2026-01-01T00:00:00.000Z' } };
    }),
  );
  return { ...emptyConversation, entries, system: system.map((content) => ({ tag: 'instructions', content })) };
}

/** A model's text as chunks: start, a delta for each of `deltas`, end. */
export function textChunks(deltas: readonly string[], id = 'text-1'): Chunk[] {
  const base = { runId: TEST_RUN.runId, from: 'AGENT' as const };
  return [
    { type: 'text-start', ...base, payload: { id } },
    ...deltas.map((text): Chunk => ({ type: 'text-delta', ...base, payload: { id, text } })),
    { type: 'text-end', ...base, payload: { id } },
  ];
}

/** The text of the chunks' text deltas, joined. */
export function streamedText(chunks: readonly Chunk[]): string {
  return chunks.map((chunk) => (chunk.type === 'text-delta' ? chunk.payload.text : '')).join('');
}
