// What a run holds back, as a queue: chunks go in with their places, and come out from its front. Where a sentence ends within a chunk,
// the chunk is cut there: its rest keeps its place.
import type { Chunk } from '@millrace/contracts';
import { mergePieces, heldOf, type Held } from './held-chunks.ts';
import { wholeSentences } from './sentence-ends.ts';
import { endedPart, textPiece, withPiece } from './text-pieces.ts';

export type HeldQueue = {
  /** In order. */
  held(): readonly Held[];
  bytes(): number;
  add(chunk: Chunk, place: number, isTransient?: boolean): void;
  /** Those before the first that may not go. */
  take(mayGo: (place: number) => boolean): Held[];
  takeTransient(): Held[];
  /** Those from the place on are gone. */
  drop(from: number): void;
  /** Pieces from the place on become as few as they can. Returns how many chunks at the front are as they were. */
  merge(from: number): number;
};

/** Of one part: its chunks that are held, and the text at its end that is no whole sentence yet. */
type Part = { waiting: Decided[]; undecided: string };
/** `whole`: so many characters of its text are of whole sentences. */
type Decided = Held & { part?: string | undefined; text: string; whole: number };

/** @param bySentence whole sentences may go before their step does */
export function createHeldQueue(bySentence: boolean): HeldQueue {
  let queue: Decided[] = [];
  let bytes = 0;
  const parts = new Map<string, Part>();

  const decide = (part: Part, chars: number) => {
    part.undecided = part.undecided.slice(chars);
    let left = chars;
    while (left > 0) {
      const [first] = part.waiting;
      if (!first) return;
      const more = Math.min(left, first.text.length - first.whole);
      first.whole += more;
      left -= more;
      if (first.whole === first.text.length) part.waiting.shift();
    }
  };
  const see = (one: Decided) => {
    if (!bySentence) return;
    const ended = isCutOff(one.chunk) ? undefined : endedPart(one.chunk);
    const over = ended === undefined ? undefined : parts.get(ended);
    if (over) decide(over, over.undecided.length);
    if (ended !== undefined) parts.delete(ended);
    if (one.part === undefined || one.text === '') return;
    const part = parts.get(one.part) ?? { waiting: [], undecided: '' };
    parts.set(one.part, part);
    part.waiting.push(one);
    part.undecided += one.text;
    decide(part, wholeSentences(part.undecided));
  };
  const rebuild = (left: readonly Held[]) => {
    queue = left.map(withText);
    bytes = queue.reduce((sum, one) => sum + one.bytes, 0);
    parts.clear();
    queue.forEach(see);
  };
  /** What is before `whole` goes; the rest stays, in its place. */
  const cut = (one: Decided): Held => {
    const goes = { ...one, ...heldOf(withPiece(one.chunk, one.text.slice(0, one.whole)), one.place) };
    const chunk = withPiece(one.chunk, one.text.slice(one.whole));
    bytes -= one.bytes;
    Object.assign(one, heldOf(chunk, one.place), { text: one.text.slice(one.whole), whole: 0, isRest: true });
    bytes += one.bytes;
    return goes;
  };
  return {
    held: () => queue,
    bytes: () => bytes,
    add(chunk, place, isTransient = false) {
      const one = withText(heldOf(chunk, place, isTransient));
      queue.push(one);
      bytes += one.bytes;
      see(one);
    },
    take(mayGo) {
      const goes = (one: Decided) => mayGo(one.place) || (bySentence && one.whole === one.text.length);
      const end = queue.findIndex((one) => !goes(one));
      const taken: Held[] = queue.splice(0, end < 0 ? queue.length : end);
      bytes -= taken.reduce((sum, one) => sum + one.bytes, 0);
      const [first] = queue;
      if (bySentence && first && first.whole > 0) taken.push(cut(first));
      return taken;
    },
    takeTransient() {
      const taken = queue.filter((one) => one.isTransient);
      if (taken.length > 0) rebuild(queue.filter((one) => !one.isTransient));
      return taken;
    },
    drop(from) {
      if (queue.some(({ place }) => place >= from)) rebuild(queue.filter(({ place }) => place < from));
    },
    merge(from) {
      const at = queue.findIndex(({ place }) => place >= from);
      if (at < 0) return queue.length;
      const merged = mergePieces(queue.slice(at));
      if (at + merged.length === queue.length) return queue.length;
      rebuild([...queue.slice(0, at), ...merged]);
      return at;
    },
  };
}

/** What is no piece of a text is decided at once. */
function withText(one: Held): Decided {
  const piece = textPiece(one.chunk);
  return { ...one, part: piece?.part, text: piece?.text ?? '', whole: 0 };
}

/** A part that was cut off has not come to its end: whether its last words are to be seen is decided with its step. */
const isCutOff = (chunk: Chunk): boolean =>
  (chunk.type === 'text-end' || chunk.type === 'reasoning-end' || chunk.type === 'tool-call-input-streaming-end') &&
  chunk.payload.complete === false;
