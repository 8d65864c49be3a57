// A run on its way to people: the answer, and nothing else, to stdout as it streams; to stderr what happened around it. Text that
// is taken back has been written by then, so it is said.
import { WAITING_CHUNK, callActivitySchema, type Chunk, type RunResult } from '@millrace/contracts';
import type { PositionedChunk } from '@millrace/client';
import { waitingText } from './activity-text.ts';
import { note, type CliIo } from './cli-io.ts';
import { statusText, violationText } from './outcome-text.ts';
import { oneLine, printable } from './printable.ts';
import { pendingText } from './pending-text.ts';
import { codedText } from './report-error.ts';

export type AnswerPrinter = { chunk(chunk: PositionedChunk): void; result(result: RunResult): void };

/** One chunk a line, as it is. */
export function jsonPrinter(io: CliIo): AnswerPrinter {
  return {
    chunk: ({ chunk }) => io.stdout.write(`${JSON.stringify(chunk)}\n`),
    result: (result) => noteOutcome(io, result),
  };
}

export function textPrinter(io: CliIo): AnswerPrinter {
  /** What stands on stdout and counts. */
  let shown: { index: number; length: number }[] = [];
  let lastPart: string | undefined;
  let wroteAny = false;
  let atLineStart = true;

  const write = (text: string) => {
    if (text === '') return;
    io.stdout.write(io.stdout.isTerminal ? printable(text) : text);
    atLineStart = text.endsWith('\n');
    wroteAny = true;
  };
  const endLine = () => {
    if (!atLineStart) write('\n');
  };
  const aside = (text: string) => {
    // On a terminal both outputs share their lines.
    if (io.stdout.isTerminal) endLine();
    note(io, text);
  };
  return {
    chunk({ index, chunk }) {
      if (chunk.type === 'text-delta') {
        const { id, text } = chunk.payload;
        if (lastPart !== id) endLine();
        lastPart = id;
        shown.push({ index, length: text.length });
        write(text);
      } else if (chunk.type === 'retract') {
        const kept = shown.filter((text) => text.index < chunk.payload.index);
        if (kept.length < shown.length) aside(withdrawn(shown, kept));
        shown = kept;
        lastPart = undefined;
      } else {
        // Part ids are those of a step: the next one may use them again.
        if (chunk.type === 'step-finish') lastPart = undefined;
        for (const text of asidesOf(chunk)) aside(text);
      }
    },
    result(result) {
      if (!wroteAny) write(result.text);
      endLine();
      noteOutcome(io, result);
    },
  };
}

function withdrawn(shown: { length: number }[], kept: { length: number }[]): string {
  const count = (texts: { length: number }[]) => texts.reduce((sum, { length }) => sum + length, 0);
  if (kept.length === 0) return '[withdrawn] the text above does not count';
  return `[withdrawn] the last ${count(shown) - count(kept)} characters of the text above do not count`;
}

/** What a chunk beside the answer says, if it says something. */
function asidesOf(chunk: Chunk): string[] {
  switch (chunk.type) {
    case 'tool-call':
      return [`[tool] ${name(chunk.payload)} ${json(chunk.payload.args)}`];
    case 'tool-result':
      return [`[tool] ${name(chunk.payload)} ${chunk.payload.isError ? 'failed:' : '→'} ${json(chunk.payload.result)}`];
    case 'tool-error':
      return [`[tool] ${name(chunk.payload)} failed: ${json(chunk.payload.error)}`];
    case 'tool-output-denied':
      return [`[tool] ${name(chunk.payload)} denied: ${oneLine(chunk.payload.reason)}`];
    case 'suspended':
      return (chunk.payload.pending ?? []).flatMap((pending) => pendingText(chunk.runId, pending));
    default:
      return asideOfWaiting(chunk);
  }
}

function asideOfWaiting(chunk: { type: string; data?: unknown }): string[] {
  if (chunk.type !== WAITING_CHUNK) return [];
  const call = callActivitySchema.safeParse(chunk.data);
  return call.success ? [`[waiting] ${waitingText(call.data)}`] : [];
}

const name = ({ toolName }: { toolName: string }): string => oneLine(toolName);
const json = (value: unknown): string => oneLine(typeof value === 'string' ? value : (JSON.stringify(value) ?? ''));

function noteOutcome(io: CliIo, result: RunResult): void {
  const { status, error, violations } = result;
  for (const violation of violations) note(io, violationText(violation));
  if (status === 'failed') note(io, printable(error ? codedText(error) : 'error: the run failed'));
  else if (status !== 'finished') note(io, statusText(result));
}
