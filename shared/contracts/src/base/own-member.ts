// Looks up untrusted names: `constructor` and `toString` are valid names.

/** Returns the object's own member; undefined if it has none, also for names that its prototype has. */
export function getOwnMember<T>(members: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(members, name) ? members[name] : undefined;
}
