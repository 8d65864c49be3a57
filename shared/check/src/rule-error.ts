// Errors for violations of a rule: the problem, with the message that shows it.

/** Maximum number of printed characters of a message. */
const MAX_SHOWN = 600;

export class BrokenError extends Error {
  override readonly name: string = 'BrokenError';
  /** The message, as JSON, cut. */
  readonly seen: string | undefined;

  constructor(problem: string, seen?: unknown) {
    super(problem);
    this.seen = seen === undefined ? undefined : formatShortJson(seen);
  }
}

/** The processor has missed a time limit. */
export class LateError extends BrokenError {
  override readonly name = 'LateError';
  /** The limit, ms. */
  readonly limitMs: number;

  constructor(problem: string, limitMs: number, seen?: unknown) {
    super(problem, seen);
    this.limitMs = limitMs;
  }
}

/** The check has no valid options for the processor. */
export class OptionsError extends BrokenError {
  override readonly name = 'OptionsError';
}

export function fail(problem: string, seen?: unknown): never {
  throw new BrokenError(problem, seen);
}

/** @param limitMs the missed time limit, ms */
export function failLate(problem: string, limitMs: number, seen?: unknown): never {
  throw new LateError(problem, limitMs, seen);
}

export function formatShortJson(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? String(value));
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text;
}
