// Compares the output of processors that declare no changes with their input. Text that they hold back may arrive later, and they may add
// custom chunks. Chunks that a replica names in order are only counted. Pure.
import { isDeepStrictEqual } from 'node:util';
import { isDataChunk, type Chunk } from '@millrace/contracts';
import { readTextPiece } from '../transcript/text-pieces.ts';
import { expectChunks, type ChunkMatch, type ChunkRules } from './expected-chunks.ts';

/** The input, by position. */
type ComparedInput = { listSent(from: number): readonly Chunk[] };

export type UnchangedOutput = {
  /** Compares chunks that were named by their positions. @returns the type of the first that differs from the input */
  compareNamed(from: number, chunks: readonly Chunk[]): string | undefined;
  compare(chunks: readonly Chunk[]): string | undefined;
  /** Returns the position of the first chunk of the input that was not compared: everything before it has left in order, or is expected. */
  getFirst(): number;
  /** Ends the output. @returns the type of the first missing chunk */
  findMissing(): string | undefined;
};

/** Describes the failure of a processor that declared no changes. @param type of a chunk */
export const hasChanged = (type: string): string =>
  `A "${type}" chunk left processOutputStream changed or was dropped, although "changes" declares "never".`;

/** Compares chunks that arrive in one piece. Returns the type of the first that differs from the input. */
export function findChangedType(given: readonly Chunk[], out: readonly Chunk[]): string | undefined {
  const output = createUnchangedOutput({ listSent: (from) => given.slice(from) });
  return output.compare(out) ?? output.findMissing();
}

export function createUnchangedOutput(input: ComparedInput): UnchangedOutput {
  let first = 0;
  let expected = expectChunks(RULES);
  const expectWaiting = () => {
    const waiting = input.listSent(first);
    waiting.forEach(expected.add);
    first += waiting.length;
  };
  const findChanged = (chunks: readonly Chunk[]) => chunks.find((chunk) => !isUnchanged(expected.match(chunk)))?.type;
  return {
    compareNamed(from, chunks) {
      if (from === first && expected.findMissing() === undefined) {
        first += chunks.length;
        return undefined;
      }
      expectWaiting();
      return findChanged(chunks);
    },
    compare(chunks) {
      if (chunks.length === 0) return undefined;
      expectWaiting();
      const changed = findChanged(chunks);
      if (expected.findMissing() === undefined) expected = expectChunks(RULES);
      return changed;
    },
    getFirst: () => first,
    findMissing: () => expected.findMissing() ?? input.listSent(first)[0]?.type,
  };
}

/** A custom chunk that was not expected is the processor's own; an expected one that was changed is missing at the end. */
function isUnchanged(match: ChunkMatch): boolean {
  if (typeof match === 'string') return match === 'same';
  return isDataChunk(match.beyond) || (readTextPiece(match.beyond)?.text === '' && serializeExtra(match.beyond) === '');
}

const TEXT: ReadonlySet<string> = new Set(['id', 'toolCallId', 'toolName', 'text', 'argsTextDelta']);
const ENVELOPE: ReadonlySet<string> = new Set(['type', 'runId', 'from', 'payload']);

/** Serializes the members of a piece other than its text, which could carry words. */
function serializeExtra(chunk: Chunk): string {
  const payload: unknown = 'payload' in chunk ? chunk.payload : undefined;
  const json = JSON.stringify({ ...omitMembers(chunk, ENVELOPE), ...omitMembers(payload, TEXT) });
  return json === '{}' ? '' : json;
}

function omitMembers(value: unknown, names: ReadonlySet<string>): object {
  if (typeof value !== 'object' || value === null) return {};
  return Object.fromEntries(Object.entries(value).filter(([name]) => !names.has(name)));
}

/** Compared as JSON, which omits undefined members. The orchestrator sets the run and the sender. */
function isSame(one: Chunk, other: Chunk): boolean {
  const [given, returned] = [omitSender(one), omitSender(other)];
  return isDeepStrictEqual(given, returned) || isDeepStrictEqual(JSON.parse(JSON.stringify(given)), returned);
}

const SENDER: ReadonlySet<string> = new Set(['runId', 'from']);
const omitSender = (chunk: Chunk): object => omitMembers(chunk, SENDER);

const RULES: ChunkRules = { isSame, queueData: () => 'all', isSameData: isSame, serializeExtra };
