// The version of stored entries: heads, records, commands and log batches carry it as `v`. An entry without it is of version 1.
import { z } from 'zod';

/** The newest version that this code reads. Raised when an older reader would misread an entry. Members that it may ignore raise nothing. */
export const STORED_VERSION = 10;
/** The version of all entries without a member of a later version: orchestrators of the preceding versions read them. */
export const COMMON_VERSION = 3;

/** The version that has added each member of a request. */
const MEMBER_VERSIONS = {
  structuredOutput: 4,
  modelSettings: 4,
  toolChoice: 4,
  release: 4,
  clientTools: 5,
  parallelToolCalls: 5,
  replaces: 6,
  opened: 8,
  budget: 10,
} as const;
/** The version that has added judges of files. */
const FILES_VERSION = 7;
/** The version that has added candidates of models. */
const CANDIDATES_VERSION = 9;
type NewerMembers = { [name in keyof typeof MEMBER_VERSIONS]?: unknown };

/** Returns the version of a command with the request. */
export function chooseRequestVersion(request: NewerMembers): number {
  const members = new Map<string, unknown>(Object.entries(request));
  const versions = Object.entries(MEMBER_VERSIONS).filter(([name]) => members.get(name) !== undefined);
  return Math.max(COMMON_VERSION, ...versions.map(([, version]) => version));
}

type VersionedAction = {
  action: string;
  request?: NewerMembers;
  applied?: { plan: { files?: unknown }; agent: { model?: unknown; failover?: unknown } };
};

/** Returns the version of a record: its first action holds the request and the plan. */
export const chooseRecordVersion = (actions: readonly VersionedAction[]): number =>
  Math.max(COMMON_VERSION, ...actions.map(chooseActionVersion));

function chooseActionVersion({ action, request, applied }: VersionedAction): number {
  if (action === 'model-failed' || (applied && hasCandidates(applied.agent))) return CANDIDATES_VERSION;
  if (action === 'files-passed' || applied?.plan.files === 'judged') return FILES_VERSION;
  return request ? chooseRequestVersion(request) : 0;
}

/** Earlier versions know one model for an agent, and two providers. */
const hasCandidates = ({ model, failover }: { model?: unknown; failover?: unknown }): boolean =>
  failover !== undefined || typeof model !== 'string' || !/^(?:openai|openai-chat)\//.test(model);

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
