// Validates foreign values as JSON: other values are named.
import { MillraceError, findUnserializable, type JsonValue } from '@millrace/contracts';

/** A copy that is JSON. @throws not-json, naming the place */
export function copyJson(value: unknown, what: string): JsonValue {
  const broken = findUnserializable(value, what);
  if (broken === undefined) return JSON.parse(JSON.stringify(value));
  throw new MillraceError('not-json', `There is something at ${broken} that is not JSON, and it has to travel.`, {
    path: broken,
    remedy: 'Return data: no functions, no objects of classes.',
  });
}
