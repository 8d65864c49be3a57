// Calls of the client's tools, for every protocol: their ids name the run, so that the request with the results finds it
// at any gateway without a store.
import type { Client, Run } from '@millrace/client';
import {
  MillraceError,
  endsRun,
  isObject,
  nameText,
  tokenSchema,
  writeWithText,
  type ApiAnswer,
  type JsonObject,
  type JsonValue,
  type ShownPending,
  type Usage,
} from '@millrace/contracts';
import type { CallMark, OpenedRequest } from '../recent/open-request.ts';
import { readOutput } from './submitted-messages.ts';
import { findMark, openAndContinue, readEnd, type MarkedRun } from './run-mark.ts';

const CALL_ID = /^call_(.+)_(\d{1,6})$/;

/** `id` is that of the protocol. */
export type ClientCall = { id: string; name: string; args: JsonValue; argsText: string };

export const spellCallId = (runId: string, call: number): string => `call_${runId}_${call}`;

/** Returns undefined for an id that no gateway has made. */
export function parseCallId(id: string): { runId: string; call: number } | undefined {
  const [, runId, call] = CALL_ID.exec(id) ?? [];
  return tokenSchema.safeParse(runId).success ? { runId: runId ?? '', call: Number(call) } : undefined;
}

/** Returns the pending calls of the client's tools, with the arguments as the output chain passed them. */
export const listClientCalls = (
  runId: string,
  pending: readonly Pick<ShownPending, 'by' | 'clientCall' | 'payload'>[],
): ClientCall[] =>
  pending.flatMap(({ by, clientCall, payload }) =>
    clientCall === undefined ? [] : [{ id: spellCallId(runId, clientCall), name: by, ...readArgs(by, payload) }],
  );

/** @throws number-inexact */
function readArgs(tool: string, payload: JsonValue | undefined): Pick<ClientCall, 'args' | 'argsText'> {
  const { args = {}, argsText } = isObject(payload) ? payload : {};
  const text = typeof argsText === 'string' ? argsText : undefined;
  return { args, argsText: writeWithText(args, text, `${tool}.args`) };
}

/** Builds the answer to a call of a client's tool from its text. */
export function buildOutput(text: string): JsonObject {
  const { value, text: kept } = readOutput(text);
  return { output: value, ...nameText('output', kept) };
}

/** `id` is that of the call. */
export type CallResult = { id: string; data: JsonObject };
export type CallResults = {
  /** The run of the last calls in the history. */
  runId: string;
  results: readonly CallResult[];
  /** The history ends with the results. */
  isLast: boolean;
};
/** The run from the results on. `before`: the usage up to the calls. */
export type ContinuedRun = MarkedRun & { opened: OpenedRequest };

type ContinueParts = {
  client: Client;
  agent: string;
  /** Stops reading; the run continues. */
  left: AbortSignal;
  mark: CallMark;
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
  const repeated = await findMark(mark);
  const parts = { client, runId, answers, left };
  if (repeated) return openAndContinue(mark, repeated.marked, parts, repeated.found);
  if (calls.length === 0) return undefined;
  const isExact = isLast && answers.length === calls.length && results.length === calls.length;
  if (!isExact) {
    await client.runs.release(runId);
    return undefined;
  }
  const from = await readEnd(await client.follow(runId, { signal: left }));
  return openAndContinue(mark, { from, before: result?.usage ?? {} }, parts);
}

export async function findRun(client: Client, runId: string): Promise<ApiAnswer<'run'> | undefined> {
  try {
    return await client.runs.get(runId);
  } catch (error) {
    if (MillraceError.isInstance(error) && error.code === 'run-unknown') return undefined;
    throw error;
  }
}

/** Returns the usage after the calls: the result of a run counts all of it. */
export function subtractUsage(usage: Usage, before: Usage): Usage {
  const subtractBefore = (
    name: 'inputTokens' | 'outputTokens' | 'totalTokens' | 'cachedInputTokens' | 'reasoningTokens',
  ) => {
    const value = usage[name];
    return value === undefined ? {} : { [name]: Math.max(value - (before[name] ?? 0), 0) };
  };
  return {
    ...usage,
    ...subtractBefore('inputTokens'),
    ...subtractBefore('outputTokens'),
    ...subtractBefore('totalTokens'),
    ...subtractBefore('cachedInputTokens'),
    ...subtractBefore('reasoningTokens'),
  };
}

/** Cancels the run when its client has left, until the reading has ended. */
export function cancelOnDisconnect(run: Run, clientClosed: AbortSignal): void {
  const cancel = () => void run.cancel().catch(() => undefined);
  if (clientClosed.aborted) return cancel();
  clientClosed.addEventListener('abort', cancel, { once: true });
  // This reader is the first one: it sees the end before the answer is closed.
  void readToEnd(run).finally(() => clientClosed.removeEventListener('abort', cancel));
}

/** The reader of the answer reports a failure. */
async function readToEnd(run: Run): Promise<void> {
  try {
    for await (const batch of run.batches) if (batch.some(({ chunk }) => endsRun(chunk))) return;
  } catch {}
}
