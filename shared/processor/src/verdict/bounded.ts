// Bounds the explanations of a verdict: a reason, a message, a detail. They are stored, displayed and sent with every
// event, so large ones would burden other components.
import type { JsonValue } from '@millrace/contracts';

/** Maximum length of a reason, a message or a name; UTF-16 code units. */
const MAX_TEXT = 4_096;
/** Maximum size of metadata or a detail as JSON; UTF-16 code units. */
const MAX_JSON = 16_384;
const CUT = '…';

export function boundText(text: unknown): string {
  // A processor in JavaScript may pass any value.
  const given = typeof text === 'string' ? text : (JSON.stringify(text) ?? '');
  return given.length <= MAX_TEXT ? given : given.slice(0, MAX_TEXT - CUT.length).toWellFormed() + CUT;
}

/** Replaces an oversized value by the start of its text. */
export function boundJson(value: unknown): JsonValue {
  const json = asJson(value);
  const written = JSON.stringify(json);
  return written.length <= MAX_JSON ? json : boundText(written);
}

/** Converts an explanation of a verdict (metadata, the detail of a violation) to JSON: an unserializable explanation must not turn a block into a failure, which a policy may skip. */
export function asJson(value: unknown): JsonValue {
  try {
    return JSON.parse(JSON.stringify(value) ?? 'null');
  } catch {
    return String(value);
  }
}
