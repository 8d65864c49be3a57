// Prints a run: streams the answer alone to stdout, and notices about tools, violations and the outcome to stderr.
// Retracted text is on stdout already, so the printer reports the retraction on stderr.
import { WAITING_CHUNK, callActivitySchema, type Chunk, type RunResult } from '@millrace/contracts';
import type { PositionedChunk } from '@millrace/client';
import { formatWaiting } from '../text/activity-text.ts';
import { note, type CliIo } from '../command/cli-io.ts';
import { formatStatus, formatViolation } from '../text/outcome-text.ts';
import { toOneLine, makePrintable } from '../command/printable.ts';
import type { Env } from '@millrace/bus';
import { formatPending } from '../text/outcome-text.ts';
import { formatCodedError } from '../command/report-error.ts';

export type AnswerPrinter = {
  printChunk(printChunk: PositionedChunk): void;
  /** Prints a notice on a line of its own. */
  printAside(text: string): void;
  printResult(printResult: RunResult): void;
};

/** Prints one chunk per line as JSON. */
export function createJsonPrinter(io: CliIo): AnswerPrinter {
  return {
    printChunk: ({ chunk }) => io.stdout.write(`${JSON.stringify(chunk)}\n`),
    printAside: (text) => note(io, text),
    printResult: (result) => noteOutcome(io, result),
  };
}

export function createTextPrinter(io: CliIo): AnswerPrinter {
  /** Printed texts that were not retracted. */
  let shown: { index: number; length: number }[] = [];
  let lastPart: string | undefined;
  let wroteAny = false;
  let atLineStart = true;

  const write = (text: string) => {
    if (text === '') return;
    io.stdout.write(io.stdout.isTerminal ? makePrintable(text) : text);
    atLineStart = text.endsWith('\n');
    wroteAny = true;
  };
  const endLine = () => {
    if (!atLineStart) write('\n');
  };
  const printAside = (text: string) => {
    // On a terminal stdout and stderr share their lines.
    if (io.stdout.isTerminal) endLine();
    note(io, text);
  };
  return {
    printAside,
    printChunk({ index, chunk }) {
      if (chunk.type === 'text-delta') {
        const { id, text } = chunk.payload;
        if (lastPart !== id) endLine();
        lastPart = id;
        shown.push({ index, length: text.length });
        write(text);
      } else if (chunk.type === 'retract') {
        const kept = shown.filter((text) => text.index < chunk.payload.index);
        if (kept.length < shown.length) printAside(formatWithdrawn(shown, kept));
        shown = kept;
        lastPart = undefined;
      } else {
        // Part ids are unique within a step: the next step may reuse them.
        if (chunk.type === 'step-finish') lastPart = undefined;
        for (const text of formatAsides(chunk, io.env)) printAside(text);
      }
    },
    printResult(result) {
      if (!wroteAny) write(result.text);
      endLine();
      noteOutcome(io, result);
    },
  };
}

function formatWithdrawn(shown: { length: number }[], kept: { length: number }[]): string {
  const count = (texts: { length: number }[]) => texts.reduce((sum, { length }) => sum + length, 0);
  if (kept.length === 0) return '[withdrawn] the text above is void';
  return `[withdrawn] the last ${count(shown) - count(kept)} characters of the text above are void`;
}

/** Formats a notice for a chunk that is not part of the answer, if the chunk needs one. */
function formatAsides(chunk: Chunk, env: Env): string[] {
  switch (chunk.type) {
    case 'tool-call':
      return [`[tool] ${name(chunk.payload)} ${formatJson(chunk.payload.args)}`];
    case 'tool-result':
      return [
        `[tool] ${name(chunk.payload)} ${chunk.payload.isError ? 'failed:' : '→'} ${formatJson(chunk.payload.result)}`,
      ];
    case 'tool-error':
      return [`[tool] ${name(chunk.payload)} failed: ${formatJson(chunk.payload.error)}`];
    case 'tool-output-denied':
      return [`[tool] ${name(chunk.payload)} denied: ${toOneLine(chunk.payload.reason)}`];
    case 'suspended':
      return (chunk.payload.pending ?? []).flatMap((pending) => formatPending(chunk.runId, pending, env));
    default:
      return listWaitingAsides(chunk);
  }
}

function listWaitingAsides(chunk: { type: string; data?: unknown }): string[] {
  if (chunk.type !== WAITING_CHUNK) return [];
  const call = callActivitySchema.safeParse(chunk.data);
  return call.success ? [`[waiting] ${formatWaiting(call.data)}`] : [];
}

const name = ({ toolName }: { toolName: string }): string => toOneLine(toolName);
const formatJson = (value: unknown): string =>
  toOneLine(typeof value === 'string' ? value : (JSON.stringify(value) ?? ''));

function noteOutcome(io: CliIo, result: RunResult): void {
  const { status, error, violations } = result;
  for (const violation of violations) note(io, formatViolation(violation));
  if (status === 'failed') note(io, makePrintable(error ? formatCodedError(error) : 'error: the run failed'));
  else if (status !== 'finished') note(io, formatStatus(result));
}
