// The ending of a run as values: its status, its last chunk and its result.
import type { Chunk, Message, RunResult, RunStatus, Usage, WireError } from '@millrace/contracts';
import { chunk } from '../release/make-chunk.ts';

export type EndedRun = {
  status: RunStatus;
  lastChunk: Chunk;
  result: RunResult;
  /** The messages of the caller as processInput passed them: of a finished run with a thread. */
  input?: Message[];
};

/** A result without text, messages and steps. */
export function emptyResult(runId: string): Omit<RunResult, 'status'> {
  return { runId, text: '', finishReason: 'other', usage: {}, messages: [], steps: [], violations: [] };
}

/** Builds the ending of a run that has an error as its only outcome: it never began, or its state or its result cannot be stored. */
export function failedRun(runId: string, error: WireError, usage: Usage = {}): EndedRun {
  const lastChunk = chunk(runId, { type: 'error', payload: { error } });
  return {
    status: 'failed',
    lastChunk,
    result: { ...emptyResult(runId), status: 'failed', finishReason: 'error', usage, error },
  };
}
