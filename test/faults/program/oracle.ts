// Judges a run from outside: by its published messages, the client's stream, the result, the tools' effects and the
// thread. Pure: takes all observations, so that the oracle itself is tested.
import type { Chunk, RunResult } from '@millrace/contracts';
import type { PositionedChunk } from '@millrace/client';
import { leakCharacters, type PlannedRun } from './planned-run.ts';
import type { SeenRun } from './watch-live.ts';

const AROUND_CHARACTERS = 24;

export type Observed = {
  planned: PlannedRun;
  seen: SeenRun;
  /** The stream replayed from the first position after the end, or the reason for a failed replay. */
  replayed: readonly PositionedChunk[] | { unread: string };
  /** undefined: the run did not end in time. */
  result: RunResult | undefined;
  /** Whether a cancel was requested. */
  cancelAsked: boolean;
  /** Whether the tools' only service failed: the model receives a tool error and continues. */
  mayMissTools: boolean;
  ledger: readonly { tool: string; key: string; idempotencyKey?: string | undefined }[];
  /** Messages of the run's thread, as JSON. undefined: the history could not be read. */
  history: readonly { role: string; text: string; json: string }[] | undefined;
};

export type RunJudgement = {
  status: RunResult['status'] | 'lost';
  /** Code of a failed run. */
  code?: string | undefined;
  /** The error in words, with its path. */
  why?: string | undefined;
  doubled: string[];
  leaked: string[];
  wrong: string[];
};

export function judgeRun(observed: Observed): RunJudgement {
  const { result } = observed;
  return {
    status: result?.status ?? 'lost',
    ...(result?.error && { code: result.error.code, why: describeError(result.error) }),
    doubled: findDoubled(observed),
    leaked: findLeaks(observed),
    wrong: findWrong(observed),
  };
}

const describeError = ({ code, path = 'nowhere', message }: NonNullable<RunResult['error']>) =>
  `${code} at ${path}: ${message}`;

function findDoubled({ planned, ledger, history, result, seen }: Observed): string[] {
  const filterLedger = (tool: string) => ledger.filter((line) => line.tool === tool && line.key === planned.name);
  const doubled: string[] = [];
  if (filterLedger('book').length > planned.calls.book)
    doubled.push(`book was executed ${filterLedger('book').length} times`);
  const effects = new Set(filterLedger('note').map((line) => line.idempotencyKey)).size;
  if (effects > planned.calls.note) doubled.push(`note had ${effects} effects`);
  if (seen.endings.size > 1) doubled.push(`it ended at ${[...seen.endings].join(' and ')}`);
  const answers = history?.filter(({ role }) => role === 'user').length ?? 0;
  if (answers > 1) doubled.push(`the user's message is stored ${answers} times`);
  const expected = planned.visible + planned.visible;
  if (result?.text.includes(expected)) doubled.push('the result contains the answer twice');
  return doubled;
}

/** Finds pieces of a secret in all published messages, retracted ones too, and in all stored ones. */
function findLeaks({ planned, seen, replayed, result, history }: Observed): string[] {
  const places: [where: string, text: string][] = [];
  for (const [number, { chunks }] of seen.epochs) {
    const inOrder = [...chunks].toSorted(([a], [b]) => a - b).map(([, chunk]) => chunk);
    places.push([`live epoch ${number}`, joinStream(inOrder)], [`live epoch ${number}`, JSON.stringify(inOrder)]);
  }
  const again = listChunks(replayed).map(({ chunk }) => chunk);
  places.push(['log', joinStream(again)], ['log', JSON.stringify(again)], ['result', JSON.stringify(result ?? null)]);
  for (const { role, json } of history ?? []) places.push([`history (${role})`, json]);
  const pieces = planned.secrets.flatMap(splitSecret);
  const leaks = new Map<string, string>();
  for (const [where, text] of places) {
    const piece = pieces.find((one) => text.includes(one));
    if (piece !== undefined && !leaks.has(where)) leaks.set(where, around(text, piece));
  }
  return [...leaks].map(([where, what]) => `${where}: ${what}`);
}

/** Returns a piece of a secret with a few characters around it; the secrets are fictional. */
function around(text: string, piece: string): string {
  const at = text.indexOf(piece);
  return JSON.stringify(text.slice(Math.max(at - AROUND_CHARACTERS, 0), at + piece.length + AROUND_CHARACTERS));
}

function splitSecret(secret: string): string[] {
  const length = leakCharacters(secret);
  return Array.from({ length: Math.max(secret.length - length + 1, 0) }, (_, at) => secret.slice(at, at + length));
}

function findWrong({
  planned,
  replayed,
  result,
  history,
  seen,
  cancelAsked,
  mayMissTools,
  ledger,
}: Observed): string[] {
  const wrong: string[] = [];
  for (const [number, { changed }] of seen.epochs)
    if (changed.length > 0) wrong.push(`epoch ${number} published two chunks at ${changed.join(', ')}`);
  wrong.push(...sparse(listChunks(replayed)));
  if (!result) return wrong;
  if ('unread' in replayed) wrong.push(`its chunks cannot be read again: ${replayed.unread}`);
  if (result.status === 'cancelled' && !cancelAsked) wrong.push('it was cancelled without a request');
  const joined = joinText(listChunks(replayed));
  if (!('unread' in replayed) && result.status !== 'failed' && joined !== result.text)
    wrong.push(`the stream and the result differ: ${difference(joined, result.text)}`);
  if (result.status === 'cancelled' && !planned.visible.startsWith(result.text))
    wrong.push(`a cancelled run has text that its model did not send: ${difference(result.text, planned.visible)}`);
  if (result.status !== 'finished') return wrong;
  if (result.text !== planned.visible)
    wrong.push(`the text is not what the guards make of it: ${difference(result.text, planned.visible)}`);
  // A tool call that is not idempotent may be skipped if its outcome is unknown.
  const isNoted = ledger.some((line) => line.tool === 'note' && line.key === planned.name);
  if (!isNoted && planned.calls.note > 0 && !mayMissTools)
    wrong.push(`note was never executed: ${describeResult('note', replayed)}`);
  const stored = history
    ?.filter(({ role }) => role === 'assistant')
    .map(({ text }) => text)
    .join('');
  if (stored !== undefined && stored !== result.text)
    wrong.push(`the history is not the result: ${difference(stored, result.text)}`);
  return wrong;
}

const listChunks = (replayed: Observed['replayed']): readonly PositionedChunk[] =>
  'unread' in replayed ? [] : replayed;

/** Returns the tool's answer as the model received it. */
function describeResult(tool: string, replayed: Observed['replayed']): string {
  const told = listChunks(replayed).flatMap(({ chunk }) => {
    if (chunk.type !== 'tool-result' && chunk.type !== 'tool-error') return [];
    const { payload } = chunk;
    return payload.toolName === tool ? [JSON.stringify('error' in payload ? payload.error : payload.result)] : [];
  });
  return told.join(', ') || 'no result';
}

/** Positions are dense within an epoch, and a new epoch starts with a retract of the invalid part. */
function sparse(replayed: readonly PositionedChunk[]): string[] {
  return replayed.flatMap((now, at) => {
    const before = replayed[at - 1];
    // A later owner's first chunk retracts the previous ones: a late reader receives neither.
    if (!before) return now.index === 0 || now.epoch > 1 ? [] : [`the log begins at ${now.index}`];
    if (now.epoch === before.epoch && now.index <= before.index)
      return [`after ${before.epoch}.${before.index} follows ${now.epoch}.${now.index}`];
    if (now.epoch < before.epoch) return [`after epoch ${before.epoch} follows ${now.epoch}`];
    return [];
  });
}

/** Joins the valid text of a stream: a retract removes everything from its index on. */
function joinText(positioned: readonly PositionedChunk[]): string {
  const kept: PositionedChunk[] = [];
  for (const one of positioned) {
    if (one.chunk.type === 'retract') {
      const from = one.chunk.payload.index;
      while ((kept.at(-1)?.index ?? -1) >= from) kept.pop();
    } else kept.push(one);
  }
  return kept.map(({ chunk }) => (chunk.type === 'text-delta' ? chunk.payload.text : '')).join('');
}

/** Joins texts and arguments of a stream, because a secret can be cut over deltas. */
function joinStream(chunks: readonly Chunk[]): string {
  return chunks
    .map((chunk) => {
      if (chunk.type === 'text-delta' || chunk.type === 'reasoning-delta') return chunk.payload.text;
      return chunk.type === 'tool-call-delta' ? chunk.payload.argsTextDelta : '';
    })
    .join('');
}

/** Shows the first difference of two texts with a few characters of each. */
function difference(one: string, other: string): string {
  let at = 0;
  while (at < one.length && one[at] === other[at]) at += 1;
  return `at ${at} ${JSON.stringify(one.slice(at, at + 30))} and ${JSON.stringify(other.slice(at, at + 30))}`;
}
