// Which chunks come out of a session as they went in: those are named by their places instead of being sent back. What a chunk was
// is noted when it comes, since a processor may change it in place; and all of it is compared, not its text alone.
import type { Chunk } from '@millrace/contracts';

export type UnchangedChunks = {
  /** @param done how many of those before them are done with: they cannot come out any more */
  came(chunks: readonly Chunk[], done: number): void;
  /** The chunk came out while the one at `place` was at work. Whether it is that one, as it was, and can be named. */
  isNext(chunk: Chunk, place: number): boolean;
  /** Those named since, as one range of places, and forgets them. */
  take(): { from: number; count: number } | undefined;
};

/** A piece of text with nothing beside it is compared member by member; of all else its JSON. */
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
    came(chunks, done) {
      forget(done);
      for (const chunk of chunks) notes.push(noteOf(chunk));
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

/** Notes of what is done with are let go so many at a time. */
const MAX_DONE = 256;

function noteOf(chunk: Chunk): Note {
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

/** `{type, runId, from, payload: {id, text}}` and nothing else, also nothing that JSON.stringify would ask and a loop does not see. */
function isPlainText(chunk: Chunk): chunk is PlainText {
  return chunk.type === 'text-delta' && hasOnly(chunk, CHUNK_MEMBERS) && hasOnly(chunk.payload, TEXT_MEMBERS);
}

/** Asked twice for every piece of text: a list of its keys would cost ten times as much. */
function hasOnly(value: unknown, members: ReadonlySet<string>): boolean {
  if (typeof value !== 'object' || value === null || 'toJSON' in value) return false;
  for (const name in value) if (!members.has(name)) return false;
  return true;
}
