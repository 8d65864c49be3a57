// Keeps both members if two names became the same.

export function renameDuplicates<T>(entries: readonly (readonly [string, T])[]): [string, T][] {
  const taken = new Set<string>();
  return entries.map(([name, member]) => {
    let free = name;
    for (let count = 2; taken.has(free); count++) free = `${name} ${'i'.repeat(count)}`;
    taken.add(free);
    return [free, member];
  });
}
