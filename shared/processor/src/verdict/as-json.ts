// What explains a verdict (metadata, the detail of a violation) as JSON, whatever it was: an explanation that cannot travel must not
// turn a block into a failure, which a policy may skip.
import type { JsonValue } from '@millrace/contracts';

export function asJson(value: unknown): JsonValue {
  try {
    return JSON.parse(JSON.stringify(value) ?? 'null');
  } catch {
    return String(value);
  }
}
