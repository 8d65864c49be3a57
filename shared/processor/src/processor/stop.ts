// Defines the error that ends a method by a verdict: `abort()`, `halt()` and `suspend()` throw one, and serveProcessors() reads its verdict.
// A marker instead of instanceof also recognizes a processor that is bundled with its own copy.
import { hasMarker, type JsonValue, type VerdictOf } from '@millrace/contracts';

const marker = Symbol.for('millrace.stop');

export type AbortOptions = { retry?: boolean; metadata?: JsonValue };

export type SuspendOptions = { expiresInSeconds?: number };

type StopTypes = 'abort' | 'halt' | 'suspend';

export class StopError extends Error {
  /** As the processor gave it: not bounded. */
  readonly verdict: VerdictOf<StopTypes>;
  readonly [marker] = true;

  constructor(verdict: VerdictOf<StopTypes>) {
    super(`stage stopped: ${verdict.type}`);
    this.name = 'TripWire';
    this.verdict = verdict;
  }

  static isInstance(error: unknown): error is StopError {
    return hasMarker(error, marker);
  }
}

/** Returns the verdict of a stop. A processor that is bundled with an SDK before the first release throws its arguments instead. */
export function readStopVerdict(error: StopError | EarlierStop): VerdictOf<StopTypes> {
  if ('verdict' in error) return error.verdict;
  const { kind: type, options, ...given } = error.stop;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the members of the arguments have the names of the verdict's members
  return { ...options, ...given, type } as VerdictOf<StopTypes>;
}
type EarlierStop = { stop: { kind: StopTypes; options?: AbortOptions } };
