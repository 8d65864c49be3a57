// Formats of regular expressions in options. `agents apply` checks them, so that a run does not fail at a bad pattern.

/** A pattern of RE2. */
export const RE2_FORMAT = 're2';
/** A pattern of RE2 for streamed text: a part of a stream has no known start or end. */
export const RE2_UNANCHORED_FORMAT = 're2-unanchored';

/** Returns whether the pattern has `^`, `$`, `\A` or `\z` outside of a class. */
export function hasAnchor(source: string): boolean {
  const withoutEscapes = source.replace(/\\[^]/g, (escape) => (/[Az]/.test(escape.charAt(1)) ? '^' : ''));
  return /[\^$]/.test(withoutEscapes.replace(/\[\^?\]?[^\]]*\]/g, ''));
}
