// Judges a run from outside: by what was published, what the client read, what the result says, what the tools did and what the
// thread remembers. Pure: everything is handed in, so that the oracle itself is tested.
import type { Chunk, RunResult } from '@millrace/contracts';
import type { PositionedChunk } from '@millrace/client';
import { leakCharacters, type PlannedRun } from './planned-run.ts';
import type { SeenRun } from './watch-live.ts';

const AROUND_CHARACTERS = 24;

export type Observed = {
  planned: PlannedRun;
  seen: SeenRun;
  /** Read again from the first position after the end, or why nobody could. */
  replayed: readonly PositionedChunk[] | { unread: string };
  /** undefined: the run did not end in its time. */
  result: RunResult | undefined;
  /** Somebody asked for it to be cancelled. */
  cancelAsked: boolean;
  /** The tools' only service was struck: the model is told that nobody was there, and goes on. */
  mayMissTools: boolean;
  ledger: readonly { tool: string; key: string; idempotencyKey?: string | undefined }[];
  /** Messages of the run's thread, as JSON. undefined: the history could not be read. */
  history: readonly { role: string; text: string; json: string }[] | undefined;
};

export type Judgement = {
  status: RunResult['status'] | 'lost';
  /** Of a run that failed. */
  code?: string | undefined;
  /** The same in words, and where. */
  why?: string | undefined;
  doubled: string[];
  leaked: string[];
  wrong: string[];
};

export function judgeRun(observed: Observed): Judgement {
  const { result } = observed;
  return {
    status: result?.status ?? 'lost',
    ...(result?.error && { code: result.error.code, why: whyOf(result.error) }),
    doubled: findDoubled(observed),
    leaked: findLeaks(observed),
    wrong: findWrong(observed),
  };
}

const whyOf = ({ code, path = 'nowhere', message }: NonNullable<RunResult['error']>) =>
  `${code} at ${path}: ${message}`;

function findDoubled({ planned, ledger, history, result, seen }: Observed): string[] {
  const of = (tool: string) => ledger.filter((line) => line.tool === tool && line.key === planned.name);
  const doubled: string[] = [];
  if (of('book').length > planned.calls.book) doubled.push(`book was executed ${of('book').length} times`);
  const effects = new Set(of('note').map((line) => line.idempotencyKey)).size;
  if (effects > planned.calls.note) doubled.push(`note had ${effects} effects`);
  if (seen.endings.size > 1) doubled.push(`it ended at ${[...seen.endings].join(' and ')}`);
  const answers = history?.filter(({ role }) => role === 'user').length ?? 0;
  if (answers > 1) doubled.push(`the user's message is stored ${answers} times`);
  const told = planned.visible + planned.visible;
  if (result?.text.includes(told)) doubled.push('the answer stands twice in the result');
  return doubled;
}

/** A piece of a secret in what was ever published, whether it counted in the end or not, or in what is kept. */
function findLeaks({ planned, seen, replayed, result, history }: Observed): string[] {
  const places: [where: string, text: string][] = [];
  for (const [number, { chunks }] of seen.epochs) {
    const inOrder = [...chunks].toSorted(([a], [b]) => a - b).map(([, chunk]) => chunk);
    places.push([`live epoch ${number}`, streamed(inOrder)], [`live epoch ${number}`, JSON.stringify(inOrder)]);
  }
  const again = chunksOf(replayed).map(({ chunk }) => chunk);
  places.push(['log', streamed(again)], ['log', JSON.stringify(again)], ['result', JSON.stringify(result ?? null)]);
  for (const { role, json } of history ?? []) places.push([`history (${role})`, json]);
  const pieces = planned.secrets.flatMap(piecesOf);
  const leaks = new Map<string, string>();
  for (const [where, text] of places) {
    const piece = pieces.find((one) => text.includes(one));
    if (piece !== undefined && !leaks.has(where)) leaks.set(where, around(text, piece));
  }
  return [...leaks].map(([where, what]) => `${where}: ${what}`);
}

/** A piece of a secret with a few characters of what stands before and behind it: secrets here are made up. */
function around(text: string, piece: string): string {
  const at = text.indexOf(piece);
  return JSON.stringify(text.slice(Math.max(at - AROUND_CHARACTERS, 0), at + piece.length + AROUND_CHARACTERS));
}

function piecesOf(secret: string): string[] {
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
  wrong.push(...sparse(chunksOf(replayed)));
  if (!result) return wrong;
  if ('unread' in replayed) wrong.push(`its chunks cannot be read again: ${replayed.unread}`);
  if (result.status === 'cancelled' && !cancelAsked) wrong.push('it was cancelled, and nobody asked for it');
  const said = textOf(chunksOf(replayed));
  if (!('unread' in replayed) && result.status !== 'failed' && said !== result.text)
    wrong.push(`the stream and the result differ: ${difference(said, result.text)}`);
  if (result.status === 'cancelled' && !planned.visible.startsWith(result.text))
    wrong.push(`a cancelled run said what its model did not: ${difference(result.text, planned.visible)}`);
  if (result.status !== 'finished') return wrong;
  if (result.text !== planned.visible)
    wrong.push(`the text is not what the guards make of it: ${difference(result.text, planned.visible)}`);
  // What is not idempotent may be left out where its outcome is unknown.
  const isNoted = ledger.some((line) => line.tool === 'note' && line.key === planned.name);
  if (!isNoted && planned.calls.note > 0 && !mayMissTools)
    wrong.push(`note was never executed: ${toldOf('note', replayed)}`);
  const stored = history
    ?.filter(({ role }) => role === 'assistant')
    .map(({ text }) => text)
    .join('');
  if (stored !== undefined && stored !== result.text)
    wrong.push(`the history is not the result: ${difference(stored, result.text)}`);
  return wrong;
}

const chunksOf = (replayed: Observed['replayed']): readonly PositionedChunk[] => ('unread' in replayed ? [] : replayed);

/** What the model was told that a tool had said. */
function toldOf(tool: string, replayed: Observed['replayed']): string {
  const told = chunksOf(replayed).flatMap(({ chunk }) => {
    if (chunk.type !== 'tool-result' && chunk.type !== 'tool-error') return [];
    const { payload } = chunk;
    return payload.toolName === tool ? [JSON.stringify('error' in payload ? payload.error : payload.result)] : [];
  });
  return told.join(', ') || 'no result';
}

/** Positions are dense within an epoch, and a new epoch begins by taking back what does not count. */
function sparse(replayed: readonly PositionedChunk[]): string[] {
  return replayed.flatMap((now, at) => {
    const before = replayed[at - 1];
    // A later owner's first chunk takes back what was there: a late reader gets neither.
    if (!before) return now.index === 0 || now.epoch > 1 ? [] : [`the log begins at ${now.index}`];
    if (now.epoch === before.epoch && now.index <= before.index)
      return [`after ${before.epoch}.${before.index} comes ${now.epoch}.${now.index}`];
    if (now.epoch < before.epoch) return [`after epoch ${before.epoch} comes ${now.epoch}`];
    return [];
  });
}

/** What counts of a stream: a retract takes back everything from its index on. */
function textOf(positioned: readonly PositionedChunk[]): string {
  const kept: PositionedChunk[] = [];
  for (const one of positioned) {
    if (one.chunk.type === 'retract') {
      const from = one.chunk.payload.index;
      while ((kept.at(-1)?.index ?? -1) >= from) kept.pop();
    } else kept.push(one);
  }
  return kept.map(({ chunk }) => (chunk.type === 'text-delta' ? chunk.payload.text : '')).join('');
}

/** Texts and arguments of a stream, joined: a secret may be cut over deltas. */
function streamed(chunks: readonly Chunk[]): string {
  return chunks
    .map((chunk) => {
      if (chunk.type === 'text-delta' || chunk.type === 'reasoning-delta') return chunk.payload.text;
      return chunk.type === 'tool-call-delta' ? chunk.payload.argsTextDelta : '';
    })
    .join('');
}

/** Where two texts part, with a few characters of each. */
function difference(one: string, other: string): string {
  let at = 0;
  while (at < one.length && one[at] === other[at]) at += 1;
  return `at ${at} ${JSON.stringify(one.slice(at, at + 30))} and ${JSON.stringify(other.slice(at, at + 30))}`;
}
