// The ending of a run of which nothing can be said but why: it never started, its owner was lost, its result cannot be stored.
import type { Usage, WireError } from '@millrace/contracts';
import { chunk } from '../state/make-chunk.ts';
import type { Ended } from './end-run.ts';

export function failedRun(runId: string, error: WireError, usage: Usage = {}): Ended {
  const lastChunk = chunk(runId, { type: 'error', payload: { error } });
  const result = {
    runId,
    status: 'failed' as const,
    text: '',
    finishReason: 'error',
    usage,
    messages: [],
    steps: [],
    violations: [],
    error,
  };
  return { status: 'failed', lastChunk, result };
}
