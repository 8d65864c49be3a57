// A deep copy of what is JSON, at a fraction of what a structured clone costs; what is none of it is cloned.

/** @throws DataCloneError for what cannot be cloned, a function for example */
export function copyOf(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return typeof value === 'function' ? structuredClone(value) : value;
  if (Array.isArray(value)) return value.map(copyOf);
  if (Object.getPrototypeOf(value) !== Object.prototype || Object.hasOwn(value, '__proto__'))
    return structuredClone(value);
  const copy: Record<string, unknown> = {};
  for (const [name, member] of Object.entries(value)) copy[name] = copyOf(member);
  return copy;
}
