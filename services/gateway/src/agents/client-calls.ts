// Calls of the client's tools, for every protocol: their ids name the run, so that the request with the results finds it
// at any gateway without a store.
import type { Client, Run } from '@millrace/client';
import {
  MillraceError,
  endsRun,
  tokenSchema,
  type ApiAnswer,
  type ClientResult,
  type JsonValue,
  type Position,
  type ShownPending,
  type Usage,
} from '@millrace/contracts';
import { answerAll } from './answer-question.ts';

const CALL_ID = /^call_(.+)_(\d{1,6})$/;

/** `id` is that of the protocol. */
export type ClientCall = { id: string; name: string; args: JsonValue };

const spellCallId = (runId: string, call: number): string => `call_${runId}_${call}`;

/** Returns undefined for an id that no gateway has made. */
export function parseCallId(id: string): { runId: string; call: number } | undefined {
  const [, runId, call] = CALL_ID.exec(id) ?? [];
  return tokenSchema.safeParse(runId).success ? { runId: runId ?? '', call: Number(call) } : undefined;
}

/** Returns the pending calls of the client's tools, with the arguments as the output chain passed them. */
export const listClientCalls = (runId: string, pending: readonly ShownPending[]): ClientCall[] =>
  pending.flatMap(({ by, clientCall, payload }) =>
    clientCall === undefined ? [] : [{ id: spellCallId(runId, clientCall), name: by, args: readArgs(payload) }],
  );

const readArgs = (payload: JsonValue | undefined): JsonValue =>
  (typeof payload === 'object' && payload !== null && !Array.isArray(payload) ? payload['args'] : undefined) ?? {};

export type CallResults = {
  /** The run of the last calls in the history. */
  runId: string;
  results: readonly { id: string; data: ClientResult }[];
  /** The history ends with the results. */
  isLast: boolean;
};
/** The run from the results on. `before`: the usage up to the calls. */
export type ContinuedRun = { run: Run; before: Usage };

/** Stored for a repetition of the request: the position behind the calls. */
type Mark = { get(): Promise<string | undefined>; set(value: string): Promise<void> };
type ContinueParts = {
  client: Client;
  agent: string;
  /** Stops reading; the run continues. */
  left: AbortSignal;
  /** `isRepeated`: the client repeats the request by itself, and a part of its results may have arrived. */
  mark: Mark & { isRepeated: boolean };
};

/**
 * Gives the results to the run that waits for exactly these. Otherwise the waiting run is released, because the
 * conversation has left it.
 */
export async function continueCalls(
  { runId, results, isLast }: CallResults,
  { client, agent, left, mark }: ContinueParts,
): Promise<ContinuedRun | undefined> {
  const known = await findRun(client, runId);
  if (known?.summary?.agent !== agent) return undefined;
  const { status, pending = [], result } = known;
  const calls = status === 'suspended' ? pending.filter(({ clientCall }) => clientCall !== undefined) : [];
  const given = new Map(results.map(({ id, data }) => [id, data]));
  const answers = calls.flatMap(({ clientCall = 0, resumeToken }) => {
    const data = given.get(spellCallId(runId, clientCall));
    return data && resumeToken !== undefined ? [{ token: resumeToken, data }] : [];
  });
  const repeated = mark.isRepeated ? readMark(await mark.get()) : undefined;
  if (repeated) {
    const behind = await client.follow(runId, { ...repeated, signal: left });
    for (const { token, data } of answers) await client.runs.answer(runId, token, data);
    return { run: behind, before: repeated.before };
  }
  if (calls.length === 0) return undefined;
  const isExact = isLast && answers.length === calls.length && given.size === calls.length;
  if (!isExact) {
    await client.runs.release(runId);
    return undefined;
  }
  const suspended = await client.follow(runId, { signal: left });
  const last = await readLast(suspended);
  const before = result?.usage ?? {};
  await mark.set(JSON.stringify({ from: { epoch: last.epoch, index: last.index + 1 }, before }));
  return { run: await answerAll(suspended, answers, left), before };
}

async function findRun(client: Client, runId: string): Promise<ApiAnswer<'run'> | undefined> {
  try {
    return await client.runs.get(runId);
  } catch (error) {
    if (MillraceError.isInstance(error) && error.code === 'run-unknown') return undefined;
    throw error;
  }
}

async function readLast(run: Run): Promise<Position> {
  let last: Position = { epoch: 1, index: 0 };
  for await (const { epoch, index } of run.positions) last = { epoch, index };
  return last;
}

type Marked = { from: Position; answeredTo: number; before: Usage };

/** The gateway itself has written the mark. */
function readMark(text: string | undefined): Marked | undefined {
  if (text === undefined) return undefined;
  const { from, before }: Pick<Marked, 'from' | 'before'> = JSON.parse(text);
  return { from, before, answeredTo: from.epoch };
}

/** Returns the usage after the calls: the result of a run counts all of it. */
export function subtractUsage(usage: Usage, before: Usage): Usage {
  const rest = (name: 'inputTokens' | 'outputTokens' | 'totalTokens' | 'cachedInputTokens' | 'reasoningTokens') => {
    const value = usage[name];
    return value === undefined ? {} : { [name]: Math.max(value - (before[name] ?? 0), 0) };
  };
  return {
    ...usage,
    ...rest('inputTokens'),
    ...rest('outputTokens'),
    ...rest('totalTokens'),
    ...rest('cachedInputTokens'),
    ...rest('reasoningTokens'),
  };
}

/** Cancels the run when its client has left, until the reading has ended. */
export function cancelWhenGone(run: Run, gone: AbortSignal): void {
  const cancel = () => void run.cancel().catch(() => undefined);
  if (gone.aborted) return cancel();
  gone.addEventListener('abort', cancel, { once: true });
  // This reader is the first one: it sees the end before the answer is closed.
  void readToEnd(run).finally(() => gone.removeEventListener('abort', cancel));
}

/** The reader of the answer reports a failure. */
async function readToEnd(run: Run): Promise<void> {
  try {
    for await (const batch of run.batches) if (batch.some(({ chunk }) => endsRun(chunk))) return;
  } catch {}
}
