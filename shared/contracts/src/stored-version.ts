// The version of stored entries: heads, records, commands and log batches carry it as `v`. An entry without it is of version 1.
import { z } from 'zod';

/** The newest version that this code reads. Raised when an older reader would misread an entry. Members that it may ignore raise nothing. */
export const STORED_VERSION = 4;
/** The version of all entries without a member of version 4: orchestrators of the preceding version read them. */
export const COMMON_VERSION = 3;

/** Members of a request that version 4 has added. */
const NEWER_MEMBERS = ['structuredOutput', 'modelSettings', 'toolChoice', 'release'] as const;
type NewerMembers = Partial<Record<(typeof NEWER_MEMBERS)[number], unknown>>;

/** Returns the version of a command with the request. */
export const chooseRequestVersion = (request: NewerMembers): number =>
  NEWER_MEMBERS.some((name) => request[name] !== undefined) ? STORED_VERSION : COMMON_VERSION;

/** Returns the version of a record: its first action holds the request. */
export const chooseRecordVersion = (actions: readonly { action: string; request?: NewerMembers }[]): number =>
  Math.max(COMMON_VERSION, ...actions.map(({ request }) => (request ? chooseRequestVersion(request) : 0)));

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
