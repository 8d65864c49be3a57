// What explains a verdict is short: a reason, a message, a detail. Others store it, show it, and send it on with every event, so
// that megabytes of it would be everybody's.
import type { JsonValue } from '@millrace/contracts';
import { asJson } from './as-json.ts';

/** Of a reason, a message or a name; UTF-16 code units. */
const MAX_TEXT = 4_096;
/** Of metadata or a detail, as JSON; UTF-16 code units. */
const MAX_JSON = 16_384;
const CUT = '…';

export function boundedText(text: unknown): string {
  // A processor in JavaScript may have given anything.
  const given = typeof text === 'string' ? text : (JSON.stringify(text) ?? '');
  return given.length <= MAX_TEXT ? given : given.slice(0, MAX_TEXT - CUT.length).toWellFormed() + CUT;
}

/** What is too long is replaced by its beginning, as text. */
export function boundedJson(value: unknown): JsonValue {
  const json = asJson(value);
  const written = JSON.stringify(json);
  return written.length <= MAX_JSON ? json : boundedText(written);
}
