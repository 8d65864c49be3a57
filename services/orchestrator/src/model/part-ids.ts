// Replaces ids of a provider that do not have the form of an id: guards skip ids, and the caller and the stores receive them.
import { hasIdFormat, isObject } from '@millrace/contracts';
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
    return value === undefined || value === null || isKept(value) ? [] : [[name, hashValue(value)] as const];
  });
  return odd.length === 0 ? members : { ...members, ...Object.fromEntries(odd) };
}

/** A proxy may append data of its provider to an id, in base64, and reads it from the next prompt. Guards judge such an id as text. */
const OPAQUE_ID = /^[\w.:+/=-]{1,16384}$/;

const isKept = (value: unknown): boolean => hasIdFormat(value) || (typeof value === 'string' && OPAQUE_ID.test(value));

const hashValue = (value: unknown): string => hashId('id_', typeof value === 'string' ? value : JSON.stringify(value));
