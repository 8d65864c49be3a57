// The metadata of OpenAI's requests: texts by name. Zod's record creates a problem for each member; this check ends at
// the first one.
import { isObject } from '@millrace/contracts';
import { z } from 'zod';

export const metadataSchema = z
  .custom<Record<string, string>>(isTextRecord, 'must be an object whose members are strings')
  .nullish();

function isTextRecord(value: unknown): boolean {
  if (!isObject(value)) return false;
  for (const name in value) if (typeof value[name] !== 'string') return false;
  return true;
}
