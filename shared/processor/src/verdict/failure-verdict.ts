// Converts a thrown value to a verdict: a stop is the processor's intention, any other error its failure.
import { isRetryable, refuseVerdict, toWireError, type Stage, type Verdict } from '@millrace/contracts';
import { asJson } from './bounded.ts';
import { boundJson, boundText } from './bounded.ts';
import type { EntryArgs } from './entry-args.ts';
import { StopError, readStopVerdict } from '../processor/stop.ts';
import { chooseStop } from './stop-recorder.ts';

/** Never throws, whatever was thrown. */
export function createFailureVerdict(error: unknown): Verdict {
  const { code, message } = toWireError(error, 'processor-failed');
  return { type: 'failure', code, message: boundText(message), retryable: isRetryable(code) };
}

/** Returns the verdict for an error of a method, or for a stop that it requested before; reports any other error. Never throws. */
export function toThrownVerdict(stage: Stage, thrown: unknown, left: LeftoverReaders): Verdict {
  const error = chooseStop(thrown, left.readStop());
  if (!StopError.isInstance(error)) {
    left.reportThrown(error);
    return { ...createFailureVerdict(error), ...left.readUsage() };
  }
  try {
    return checkVerdict(stage, withLeftovers(boundStop(readStopVerdict(error)), left));
  } catch (cause) {
    return createFailureVerdict(cause);
  }
}

type LeftoverReaders = Pick<
  EntryArgs,
  'collectFindings' | 'collectLeftovers' | 'readStop' | 'readUsage' | 'reportThrown'
>;

/** A rejection counts even with an invalid state: an entry that may be skipped must not pass the input. */
export function withLeftovers(
  verdict: Verdict,
  { collectLeftovers, collectFindings }: Pick<LeftoverReaders, 'collectFindings' | 'collectLeftovers'>,
): Verdict {
  try {
    return { ...verdict, ...collectLeftovers() };
  } catch (error) {
    if (verdict.type === 'abort' || verdict.type === 'deny') return { ...verdict, ...collectFindings() };
    throw error;
  }
}

/** Keeps the members that a method can give: a processor in JavaScript may pass others, and values of any type. */
function boundStop(verdict: StopError['verdict']): Verdict {
  switch (verdict.type) {
    case 'abort': {
      const { reason, retry, metadata } = verdict;
      const more = { ...(retry && { retry }), ...(metadata !== undefined && { metadata: boundJson(metadata) }) };
      return { type: 'abort', reason: boundText(reason), ...more };
    }
    case 'halt': {
      const { response, reason } = verdict;
      return { type: 'halt', response, ...(reason !== undefined && { reason: boundText(reason) }) };
    }
    case 'suspend': {
      const { payload, expiresInSeconds } = verdict;
      return { type: 'suspend', payload: asJson(payload), ...(expiresInSeconds !== undefined && { expiresInSeconds }) };
    }
  }
}

/** Replaces a verdict that the stage does not allow by a failure that names both. */
export function checkVerdict(stage: Stage, verdict: Verdict): Verdict {
  return refuseVerdict(stage, verdict) ?? verdict;
}
