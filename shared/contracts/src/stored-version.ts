// The version of stored entries: heads, records, commands and log batches carry it as `v`. An entry without it is of version 1.
import { z } from 'zod';

/** Raised when an older reader would misread the entries of this version. Members that it may ignore raise nothing. */
export const STORED_VERSION = 3;

export const storedVersionSchema = z
  .number()
  .int()
  .min(1)
  .optional()
  .describe('version of the stored form; 1 if absent');

/** Whether a value out of JSON.parse was stored by a newer version. */
export function isStoredByNewer(value: unknown): boolean {
  return (
    typeof value === 'object' &&
    value !== null &&
    'v' in value &&
    typeof value.v === 'number' &&
    value.v > STORED_VERSION
  );
}
