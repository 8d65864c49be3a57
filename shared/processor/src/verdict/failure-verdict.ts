// Converts a thrown value to a verdict: a stop is the processor's intention, any other error its failure.
import {
  MillraceError,
  isRetryable,
  refusedVerdict,
  type ErrorCode,
  type Stage,
  type Verdict,
} from '@millrace/contracts';
import { asJson } from './bounded.ts';
import { boundedJson, boundedText } from './bounded.ts';
import type { EntryArgs } from '../entry-args.ts';
import { StopError, type Stop } from './stop.ts';

export function failureVerdict(error: unknown): Verdict {
  const code: ErrorCode = MillraceError.isInstance(error) ? error.code : 'processor-failed';
  const message = boundedText(error instanceof Error ? error.message : String(error));
  return { type: 'failure', code, message, retryable: isRetryable(code) };
}

export function thrownVerdict(stage: Stage, error: unknown, left: Left): Verdict {
  if (!StopError.isInstance(error)) return { ...failureVerdict(error), ...left.usage() };
  try {
    return checkedVerdict(stage, withLeftovers(stopVerdict(error.stop), left));
  } catch (cause) {
    return failureVerdict(cause);
  }
}

type Left = Pick<EntryArgs, 'findings' | 'leftovers' | 'usage'>;

/** A rejection counts even with an invalid state: an entry that may be skipped must not pass the input. */
export function withLeftovers(verdict: Verdict, { leftovers, findings }: Omit<Left, 'usage'>): Verdict {
  try {
    return { ...verdict, ...leftovers() };
  } catch (error) {
    if (verdict.type === 'abort' || verdict.type === 'deny') return { ...verdict, ...findings() };
    throw error;
  }
}

function stopVerdict(stop: Stop): Verdict {
  switch (stop.kind) {
    case 'abort': {
      const { retry, metadata } = stop.options;
      return {
        type: 'abort',
        reason: boundedText(stop.reason),
        ...(retry && { retry }),
        ...(metadata !== undefined && { metadata: boundedJson(metadata) }),
      };
    }
    case 'halt':
      return {
        type: 'halt',
        response: stop.response,
        ...(stop.reason !== undefined && { reason: boundedText(stop.reason) }),
      };
    case 'suspend':
      return {
        type: 'suspend',
        payload: asJson(stop.payload),
        ...(stop.expiresInSeconds !== undefined && { expiresInSeconds: stop.expiresInSeconds }),
      };
  }
}

/** Replaces a verdict that the stage does not allow by a failure that names both. */
export function checkedVerdict(stage: Stage, verdict: Verdict): Verdict {
  return refusedVerdict(stage, verdict) ?? verdict;
}
