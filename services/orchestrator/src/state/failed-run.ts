// Builds the end of a run that has no answer.
import type { RunEnd, RunResult, Usage, WireError } from '@millrace/contracts';
import { makeChunk } from '../transcript/make-chunk.ts';

/** A result without text, messages and steps. */
export function createEmptyResult(runId: string): Omit<RunResult, 'status'> {
  return { runId, text: '', finishReason: 'other', usage: {}, messages: [], steps: [], violations: [] };
}

/** Builds the end of a run that has an error as its only outcome: it never began, or its state or its result cannot be stored. */
export function createFailedRun(runId: string, error: WireError, usage: Usage = {}): RunEnd {
  const lastChunk = makeChunk(runId, { type: 'error', payload: { error } });
  return {
    lastChunk,
    result: { ...createEmptyResult(runId), status: 'failed', finishReason: 'error', usage, error },
  };
}
