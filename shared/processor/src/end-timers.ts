// Timers in a state that leaves the process: they cannot travel, and what they were to do is over with the session that they
// belong to.

/** Ends and removes every timer in `value`. Returns where they stood, for example `state.flush`. */
export function endTimers(value: object, path: string, seen: Set<object> = new Set([value])): string[] {
  return Object.entries(value).flatMap(([key, member]: [string, unknown]) => {
    if (typeof member !== 'object' || member === null || seen.has(member)) return [];
    seen.add(member);
    const place = Array.isArray(value) ? `${path}[${key}]` : `${path}.${key}`;
    if (!isTimer(member)) return endTimers(member, place, seen);
    clearTimeout(member);
    // In an array the others keep their places.
    if (Array.isArray(value)) Reflect.set(value, key, null);
    else Reflect.deleteProperty(value, key);
    return [place];
  });
}

/** What setTimeout, setInterval and setImmediate return. */
function isTimer(value: object): value is NodeJS.Timeout {
  return ['ref', 'unref', 'hasRef'].every((method) => typeof Reflect.get(value, method) === 'function');
}
