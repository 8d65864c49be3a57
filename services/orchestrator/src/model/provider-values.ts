// Filters the values of a provider in the parts of a stream. Ids without the form of an id are replaced: guards skip ids,
// and the caller and the stores receive them. Metadata passes by an allow-list of names: ids, states, counts, references
// and opaque data. Everything else is dropped, in particular `logprobs`, which repeats the answer token by token in a form
// that no guard can judge.
import { hasIdFormat, isObject, type JsonObject, type JsonValue } from '@millrace/contracts';
import { hashId } from '../state/hashed-ids.ts';

const PAYLOAD_IDS: readonly string[] = ['id', 'toolCallId', 'approvalId'];
const METADATA_IDS: readonly string[] = ['approvalRequestId', 'containerId', 'fileId', 'itemId', 'responseId'];

/** Returns the payload with ids in their form, or the same payload if all have it. One id is replaced by the same id everywhere. */
export function replaceOddIds<T extends object>(payload: T): T {
  const replaced = replaceMembers(payload, PAYLOAD_IDS);
  if (!('providerMetadata' in replaced) || !isObject(replaced.providerMetadata)) return replaced;
  const before = Object.entries(replaced.providerMetadata);
  const after = before.map(
    ([provider, members]) => [provider, isObject(members) ? replaceMembers(members, METADATA_IDS) : members] as const,
  );
  if (after.every(([, members], at) => members === before[at]?.[1])) return replaced;
  return { ...replaced, providerMetadata: Object.fromEntries(after) };
}

function replaceMembers<T extends object>(members: T, names: readonly string[]): T {
  const odd = names.flatMap((name) => {
    const value: unknown = Object.hasOwn(members, name) ? Reflect.get(members, name) : undefined;
    return value === undefined || value === null || isKeptId(value) ? [] : [[name, hashValue(value)] as const];
  });
  return odd.length === 0 ? members : { ...members, ...Object.fromEntries(odd) };
}

/** A proxy may append data of its provider to an id, in base64, and reads it from the next prompt. Guards judge such an id as text. */
const OPAQUE_ID = /^[\w.:+/=-]{1,16384}$/;

const isKeptId = (value: unknown): boolean =>
  hasIdFormat(value) || (typeof value === 'string' && OPAQUE_ID.test(value));

const hashValue = (value: unknown): string => hashId('id_', typeof value === 'string' ? value : JSON.stringify(value));

const PASSED: ReadonlySet<string> = new Set([
  'acceptedPredictionTokens',
  'annotations',
  'approvalRequestId',
  'caller',
  'containerId',
  'encryptedContent',
  'fileId',
  'filename',
  'index',
  'itemId',
  'namespace',
  'phase',
  'reasoningEncryptedContent',
  'redactedData',
  'rejectedPredictionTokens',
  'responseId',
  'serviceTier',
  'signature',
  'thoughtSignature',
  'type',
]);

export type ProviderMetadata = Record<string, JsonObject>;

/** Returns the metadata as a member of a payload, or nothing if none of it passes. */
export function readProviderMetadata(part: { providerMetadata?: unknown }): { providerMetadata?: ProviderMetadata } {
  const providerMetadata = filterMetadata(part.providerMetadata);
  return providerMetadata ? { providerMetadata } : {};
}

/** Grouped by provider. */
export function filterMetadata(given: unknown): ProviderMetadata | undefined {
  if (!isObject(given)) return undefined;
  const passed = Object.entries(given).flatMap(([provider, members]) => {
    const own = isObject(members) ? filterMembers(members) : {};
    return Object.keys(own).length > 0 ? [[provider, own] as const] : [];
  });
  return passed.length > 0 ? Object.fromEntries(passed) : undefined;
}

function filterMembers(members: object): JsonObject {
  return Object.fromEntries(
    Object.entries(members).flatMap(([name, value]: [string, JsonValue | undefined]) =>
      PASSED.has(name) && value !== undefined && value !== null ? [[name, value] as const] : [],
    ),
  );
}
