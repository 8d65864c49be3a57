// Builds the graph of relative imports, type imports included, and finds its cycles. Pure: takes sources.
import { posix } from 'node:path';
import { readFacts } from './source-facts.ts';
import type { Source } from './workspace.ts';

/** The files that a file imports, by path from the root. The import table covers imports of packages. */
export type ImportGraph = ReadonlyMap<string, readonly string[]>;

export function importGraph(sources: readonly Source[]): ImportGraph {
  return new Map(
    sources.map(({ path, text }) => {
      const relative = readFacts(path, text).imports.filter((specifier) => specifier.startsWith('.'));
      return [path, relative.map((specifier) => posix.join(posix.dirname(path), specifier))];
    }),
  );
}

/** Returns each cycle once, as `a → b → a`, starting with its first file. */
export function importCycles(graph: ImportGraph): string[] {
  const done = new Set<string>();
  const found = new Map<string, string>();
  const visit = (path: string, way: readonly string[]): void => {
    const at = way.indexOf(path);
    if (at >= 0) {
      const members = way.slice(at);
      const first = members.indexOf(members.toSorted()[0] ?? '');
      const circle = [...members.slice(first), ...members.slice(0, first)];
      found.set(members.toSorted().join(), [...circle, circle[0]].join(' → '));
      return;
    }
    if (done.has(path)) return;
    for (const next of graph.get(path) ?? []) visit(next, [...way, path]);
    done.add(path);
  };
  for (const path of graph.keys()) visit(path, []);
  return [...found.values()].toSorted();
}
