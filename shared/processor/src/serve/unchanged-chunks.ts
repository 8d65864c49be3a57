// Detects chunks that a session returns unchanged: those are named as a range instead of being sent back. Notes the
// content of each chunk on arrival, because a processor may change it in place; compares all of it, not only its text.
import type { Chunk } from '@millrace/contracts';

export type UnchangedChunks = {
  /** @param done number of earlier chunks that are processed: they cannot be returned any more */
  record(chunks: readonly Chunk[], done: number): void;
  /** Returns true if the chunk, returned while the one at `place` was processed, equals it and can be named. */
  isNext(chunk: Chunk, place: number): boolean;
  /** Returns the named chunks as one range, and clears it. */
  take(): { from: number; count: number } | undefined;
};

/** A plain text chunk is compared by member; any other one by its JSON. */
type Note = { runId: string; sender: string; id: string; text: string } | { json: string };

export function createUnchangedChunks(): UnchangedChunks {
  let notes: Note[] = [];
  let first = 0;
  let from = 0;
  let count = 0;
  /** Each place is named once, in order. */
  let next = 0;
  const forget = (done: number) => {
    if (done - first < MAX_DONE) return;
    notes = notes.slice(done - first);
    first = done;
  };
  return {
    record(chunks, done) {
      forget(done);
      for (const chunk of chunks) notes.push(takeNote(chunk));
    },
    isNext(chunk, place) {
      const note = notes[place - first];
      if (!note || place < next || (count > 0 && place !== from + count) || !isSame(chunk, note)) return false;
      if (count === 0) from = place;
      count += 1;
      next = place + 1;
      return true;
    },
    take() {
      if (count === 0) return undefined;
      const range = { from, count };
      count = 0;
      return range;
    },
  };
}

/** Notes of processed chunks are deleted in groups of this size. */
const MAX_DONE = 256;

function takeNote(chunk: Chunk): Note {
  if (!isPlainText(chunk)) return { json: JSON.stringify(chunk) };
  const { runId, from: sender, payload } = chunk;
  return { runId, sender, id: payload.id, text: payload.text };
}

function isSame(chunk: Chunk, note: Note): boolean {
  if ('json' in note) return JSON.stringify(chunk) === note.json;
  if (!isPlainText(chunk)) return false;
  const { runId, from, payload } = chunk;
  return runId === note.runId && from === note.sender && payload.id === note.id && payload.text === note.text;
}

type PlainText = Extract<Chunk, { type: 'text-delta' }>;

const CHUNK_MEMBERS: ReadonlySet<string> = new Set(['type', 'runId', 'from', 'payload']);
const TEXT_MEMBERS: ReadonlySet<string> = new Set(['id', 'text']);

/**
 * Returns true for `{type, runId, from, payload: {id, text}}` without any other member, including those that only
 * JSON.stringify would read.
 */
function isPlainText(chunk: Chunk): chunk is PlainText {
  return chunk.type === 'text-delta' && hasOnly(chunk, CHUNK_MEMBERS) && hasOnly(chunk.payload, TEXT_MEMBERS);
}

/** Called twice for every text chunk: a list of its keys would cost ten times as much. */
function hasOnly(value: unknown, members: ReadonlySet<string>): boolean {
  if (typeof value !== 'object' || value === null || 'toJSON' in value) return false;
  for (const name in value) if (!members.has(name)) return false;
  return true;
}
