// Formats of patterns in options. `agents apply` checks them, so that a run does not fail at a bad regular expression and a guard names
// only tools of the agent.

/** A pattern of RE2. */
export const RE2_FORMAT = 're2';
/** A pattern of RE2 for streamed text: a part of a stream has no known start or end. */
export const RE2_UNANCHORED_FORMAT = 're2-unanchored';

/** The name of a tool, a prefix with `*`, or `*` for every tool. */
export const TOOL_NAME_FORMAT = 'tool-name';

export const matchesToolName = (patterns: readonly string[], name: string): boolean =>
  patterns.some((one) => (one.endsWith('*') ? name.startsWith(one.slice(0, -1)) : one === name));

/** Returns whether the pattern has `^`, `$`, `\A` or `\z` outside of a class. */
export function hasAnchor(source: string): boolean {
  const withoutEscapes = source.replace(/\\[^]/g, (escape) => (/[Az]/.test(escape.charAt(1)) ? '^' : ''));
  return /[\^$]/.test(withoutEscapes.replace(/\[\^?\]?[^\]]*\]/g, ''));
}
