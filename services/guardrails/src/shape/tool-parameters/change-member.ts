// Changes a member of a JSON value by its JSON Pointer (RFC 6901). Pure: unchanged members are the same values, so that the text of their
// numbers stays with them.
import { getOwnMember, isObject, type JsonValue } from '@millrace/contracts';

/** A pointer to a member; the empty pointer of the whole value is none. */
export const POINTER = /^(?:\/(?:[^~/]|~[01])*)+$/;

export type MemberChange =
  | { change: 'remove' }
  | { change: 'set'; value: JsonValue }
  /** Sets the member only if it is absent. */
  | { change: 'default'; value: JsonValue };

/** Returns undefined if the value has no place for the member: a container on the way is a text or a number, or an index is absent. */
export function changeMember(value: JsonValue, pointer: string, change: MemberChange): JsonValue | undefined {
  const names = pointer.slice(1).split('/');
  return changeAt(
    value,
    names.map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~')),
    change,
  );
}

function changeAt(
  value: JsonValue,
  [name = '', ...rest]: readonly string[],
  change: MemberChange,
): JsonValue | undefined {
  if (Array.isArray(value)) {
    const at = /^(?:0|[1-9]\d*)$/.test(name) ? Number(name) : value.length;
    const item = value[at];
    if (item === undefined) return change.change === 'remove' ? value : undefined;
    if (rest.length === 0 && change.change === 'remove') return value.toSpliced(at, 1);
    const changed = rest.length === 0 ? decide(item, change) : changeAt(item, rest, change);
    return changed === undefined ? undefined : value.with(at, changed);
  }
  if (!isObject(value)) return change.change === 'remove' ? value : undefined;
  const member = getOwnMember(value, name);
  if (change.change === 'remove' && (member === undefined || rest.length === 0))
    return Object.fromEntries(Object.entries(value).filter(([key]) => key !== name || rest.length > 0));
  const changed = rest.length === 0 ? decide(member, change) : changeAt(member ?? {}, rest, change);
  return changed === undefined ? undefined : { ...value, [name]: changed };
}

const decide = (member: JsonValue | undefined, change: MemberChange): JsonValue | undefined => {
  if (change.change === 'remove') return undefined;
  return change.change === 'default' && member !== undefined ? member : change.value;
};
