// Names that come from outside are looked up by this: `constructor` and `toString` are names like others.

/** The object's own member; undefined where there is none, also where every object has one of that name from its prototype. */
export function ownMember<T>(members: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(members, name) ? members[name] : undefined;
}
