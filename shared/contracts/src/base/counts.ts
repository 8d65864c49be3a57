/** Counts by name and in total. A name with 0 takes no memory. */
export function createCounts() {
  const counts = new Map<string, number>();
  let total = 0;
  return {
    get: (name: string): number => counts.get(name) ?? 0,
    sum: (): number => total,
    add(name: string, more: 1 | -1): void {
      const count = (counts.get(name) ?? 0) + more;
      total += more;
      if (count > 0) counts.set(name, count);
      else counts.delete(name);
    },
  };
}
