// Defines the stops of a method: `abort()`, `halt()` and `suspend()` throw one of these, and serveProcessors() converts
// it to a verdict. A marker instead of instanceof also recognizes a processor that is bundled with its own copy.
import type { JsonValue } from '@millrace/contracts';

const marker = Symbol.for('millrace.stop');

export type AbortOptions = { retry?: boolean; metadata?: JsonValue };

export type SuspendOptions = { expiresInSeconds?: number };

export type Stop =
  | { kind: 'abort'; reason: string; options: AbortOptions }
  | { kind: 'halt'; response: string; reason?: string }
  | ({ kind: 'suspend'; payload: JsonValue } & SuspendOptions);

export class StopError extends Error {
  readonly stop: Stop;
  readonly [marker] = true;

  constructor(stop: Stop) {
    super(`stage stopped: ${stop.kind}`);
    this.name = 'TripWire';
    this.stop = stop;
  }

  static isInstance(error: unknown): error is StopError {
    return typeof error === 'object' && error !== null && marker in error;
  }
}
