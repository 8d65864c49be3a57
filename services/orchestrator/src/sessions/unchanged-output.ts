// Compares the output of processors that declare no changes with their input: text by part as one string, because its
// pieces may be cut differently; all other chunks as a whole and in order. Text that they hold back may arrive later,
// and they may add custom chunks. Chunks that a replica names in order are only counted. Pure.
import { isDeepStrictEqual } from 'node:util';
import { isDataChunk, type Chunk } from '@millrace/contracts';
import { endedPart, textPiece } from '../release/text-pieces.ts';

export type UnchangedOutput = {
  recordGiven(chunks: readonly Chunk[]): void;
  /** Compares chunks that were named by their positions. @returns the type of the first that differs from the input */
  compareNamed(from: number, chunks: readonly Chunk[]): string | undefined;
  came(chunks: readonly Chunk[]): string | undefined;
  /** Ends the output. @returns the type of the first missing chunk */
  missing(): string | undefined;
};

/** Describes the failure of a processor that declared no changes. @param type of a chunk */
export const hasChanged = (type: string): string =>
  `A "${type}" chunk left processOutputStream changed or was dropped, although "changes" declares "never".`;

/** Compares chunks that arrive in one piece. Returns the type of the first that differs from the input. */
export function changedType(addDue: readonly Chunk[], out: readonly Chunk[]): string | undefined {
  const output = createUnchangedOutput();
  output.recordGiven(addDue);
  return output.came(out) ?? output.missing();
}

export function createUnchangedOutput(): UnchangedOutput {
  /** Input that was not compared yet: everything up to `first` has left in order. */
  let waiting: Chunk[] = [];
  let first = 0;
  let due = createDue();
  const lookAt = () => {
    due.given(waiting);
    first += waiting.length;
    waiting = [];
  };
  return {
    recordGiven: (chunks) => void waiting.push(...chunks),
    compareNamed(from, chunks) {
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

/** The text of a part that has not left yet, and the other members of its pieces. */
type UnchangedPart = { type: string; text: string; beside: Set<string> };

function createDue() {
  const parts = new Map<string, UnchangedPart>();
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
  const matchesNext = (chunk: Chunk): boolean => {
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
      // A custom chunk of its own is no change; an input chunk that was changed is missing at the end.
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
    came: (chunks: readonly Chunk[]) => chunks.find((chunk) => !matchesNext(chunk))?.type,
    isEmpty: () => ![...parts.values()].some(isHeld) && others.length === 0 && data.length === 0,
    missing: () => [...parts.values()].find(isHeld)?.type ?? others[0]?.type ?? data[0]?.type,
  };
}

const isHeld = (part: UnchangedPart | undefined): boolean => part !== undefined && part.text !== '';

const TEXT: ReadonlySet<string> = new Set(['id', 'toolCallId', 'toolName', 'text', 'argsTextDelta']);
const ENVELOPE: ReadonlySet<string> = new Set(['type', 'runId', 'from', 'payload']);

/** Serializes the members of a piece other than its text, which could carry words. */
function besideText(chunk: Chunk): string {
  const payload: unknown = 'payload' in chunk ? chunk.payload : undefined;
  return JSON.stringify({ ...omitMembers(chunk, ENVELOPE), ...omitMembers(payload, TEXT) });
}

function omitMembers(value: unknown, names: ReadonlySet<string>): object {
  if (typeof value !== 'object' || value === null) return {};
  return Object.fromEntries(Object.entries(value).filter(([name]) => !names.has(name)));
}

/** Compared as JSON, which omits undefined members. Run and sender are set by the orchestrator. */
function isSame(one: Chunk, other: Chunk): boolean {
  const [given, came] = [omitSender(one), omitSender(other)];
  return isDeepStrictEqual(given, came) || isDeepStrictEqual(JSON.parse(JSON.stringify(given)), came);
}

const SENDER: ReadonlySet<string> = new Set(['runId', 'from']);
const omitSender = (chunk: Chunk): object => omitMembers(chunk, SENDER);
