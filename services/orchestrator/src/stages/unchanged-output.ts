// Whether what comes out of processors that have said that they change nothing is what went in: text by part as one string, since its
// pieces may be cut otherwise; all other chunks whole and in order. What they hold back may come later, and custom chunks of their own may
// come beside. Chunks that a replica names in order need no look: they are counted. Pure.
import { isDeepStrictEqual } from 'node:util';
import { isDataChunk, type Chunk } from '@millrace/contracts';
import { endedPart, textPiece } from '../state/text-pieces.ts';

export type UnchangedOutput = {
  given(chunks: readonly Chunk[]): void;
  /** Named by their places among those that were given. @returns the type of the first that is not what went in */
  named(from: number, chunks: readonly Chunk[]): string | undefined;
  came(chunks: readonly Chunk[]): string | undefined;
  /** Nothing more comes. @returns the type of the first that did not come out */
  missing(): string | undefined;
};

/** What a processor did that says that it changes nothing. @param type of a chunk */
export const hasChanged = (type: string): string =>
  `A "${type}" chunk came out of processOutputStream otherwise than it went in, or did not, and "changes" says never.`;

/** Of chunks that come in one piece: the type of the first that is not what went in. */
export function changedType(given: readonly Chunk[], out: readonly Chunk[]): string | undefined {
  const output = createUnchangedOutput();
  output.given(given);
  return output.came(out) ?? output.missing();
}

export function createUnchangedOutput(): UnchangedOutput {
  /** Given, and not looked at: up to `first` all has come out in order. */
  let waiting: Chunk[] = [];
  let first = 0;
  let due = createDue();
  const lookAt = () => {
    due.given(waiting);
    first += waiting.length;
    waiting = [];
  };
  return {
    given: (chunks) => void waiting.push(...chunks),
    named(from, chunks) {
      if (from === first && due.isEmpty()) {
        waiting = waiting.slice(chunks.length);
        first += chunks.length;
        return undefined;
      }
      lookAt();
      return due.came(chunks);
    },
    came(chunks) {
      if (chunks.length === 0) return undefined;
      lookAt();
      const changed = due.came(chunks);
      if (due.isEmpty()) due = createDue();
      return changed;
    },
    missing: () => due.missing() ?? waiting[0]?.type,
  };
}

/** The text of a part that has not come out, and what stood beside its pieces. */
type Part = { type: string; text: string; beside: Set<string> };

function createDue() {
  const parts = new Map<string, Part>();
  const others: Chunk[] = [];
  const data: Chunk[] = [];
  const give = (chunk: Chunk) => {
    const piece = textPiece(chunk);
    if (!piece) return void (isDataChunk(chunk) ? data : others).push(chunk);
    const part = parts.get(piece.part) ?? { type: chunk.type, text: '', beside: new Set() };
    part.text += piece.text;
    const beside = besideText(chunk);
    if (beside !== '{}') part.beside.add(beside);
    parts.set(piece.part, part);
  };
  const take = (chunk: Chunk): boolean => {
    const piece = textPiece(chunk);
    if (piece) {
      const part = parts.get(piece.part);
      const beside = besideText(chunk);
      const fits = part?.text.startsWith(piece.text) && (beside === '{}' || part.beside.has(beside));
      if (!part || !fits) return piece.text === '' && beside === '{}';
      part.text = part.text.slice(piece.text.length);
      return true;
    }
    if (isDataChunk(chunk)) {
      // One of its own is no change; one that went in and comes out otherwise is missing at the end.
      if (data[0] && isSame(data[0], chunk)) data.shift();
      return true;
    }
    const ended = endedPart(chunk);
    if (ended !== undefined) {
      if (isHeld(parts.get(ended))) return false;
      parts.delete(ended);
    }
    const next = others.shift();
    return next !== undefined && isSame(next, chunk);
  };
  return {
    given: (chunks: readonly Chunk[]) => chunks.forEach(give),
    came: (chunks: readonly Chunk[]) => chunks.find((chunk) => !take(chunk))?.type,
    isEmpty: () => ![...parts.values()].some(isHeld) && others.length === 0 && data.length === 0,
    missing: () => [...parts.values()].find(isHeld)?.type ?? others[0]?.type ?? data[0]?.type,
  };
}

const isHeld = (part: Part | undefined): boolean => part !== undefined && part.text !== '';

const TEXT: ReadonlySet<string> = new Set(['id', 'toolCallId', 'toolName', 'text', 'argsTextDelta']);
const ENVELOPE: ReadonlySet<string> = new Set(['type', 'runId', 'from', 'payload']);

/** What a piece carries that is not its text, as JSON: words could stand there. */
function besideText(chunk: Chunk): string {
  const payload: unknown = 'payload' in chunk ? chunk.payload : undefined;
  return JSON.stringify({ ...without(chunk, ENVELOPE), ...without(payload, TEXT) });
}

function without(value: unknown, names: ReadonlySet<string>): object {
  if (typeof value !== 'object' || value === null) return {};
  return Object.fromEntries(Object.entries(value).filter(([name]) => !names.has(name)));
}

/** As JSON: a member that is undefined does not travel. Whose chunk it is the orchestrator says. */
function isSame(one: Chunk, other: Chunk): boolean {
  const [given, came] = [withoutSender(one), withoutSender(other)];
  return isDeepStrictEqual(given, came) || isDeepStrictEqual(JSON.parse(JSON.stringify(given)), came);
}

const SENDER: ReadonlySet<string> = new Set(['runId', 'from']);
const withoutSender = (chunk: Chunk): object => without(chunk, SENDER);
