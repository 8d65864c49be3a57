// What a processor breaks: in words, with the message in which it was seen.

/** As many characters of a message are shown. */
const MAX_SHOWN = 600;

export class BrokenError extends Error {
  override readonly name: string = 'BrokenError';
  /** The message, as JSON, cut. */
  readonly seen: string | undefined;

  constructor(problem: string, seen?: unknown) {
    super(problem);
    this.seen = seen === undefined ? undefined : shortJson(seen);
  }
}

/** The check has no options that the processor takes. */
export class OptionsError extends BrokenError {
  override readonly name = 'OptionsError';
}

export function broken(problem: string, seen?: unknown): never {
  throw new BrokenError(problem, seen);
}

export function shortJson(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? String(value));
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text;
}
