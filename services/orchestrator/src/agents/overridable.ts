// What callers may list for one run: resolved with the agent, so that a submission is judged, and a run begun, by what the agent's author
// has seen, whoever is up then. Pure.
import type { Issue, JsonValue, Overridable } from '@millrace/contracts';
import { idOf, missing, type Known } from './entry-uses.ts';
import { isMemoryProcessor } from './memory-entries.ts';

export function overridableOf(names: readonly string[], known: Known): Record<string, Overridable> {
  const found = names.flatMap((name) => known.processors.get(idOf(name, known)) ?? []);
  return Object.fromEntries(
    found.map(({ descriptor, service }): [string, Overridable] => {
      const { id, version, stages, reads, processDataParts, processCutOff, lists, policy } = descriptor;
      const { optionsSchema, changes } = descriptor;
      const takes = { reads, processDataParts, ...(processCutOff && { processCutOff }) };
      const called = { entry: id, processor: id, service, version, lists, stages, ...takes, ...policy };
      const own = { ...called, options: {}, required: false, memory: false, optionsSchema };
      return [id, { ...own, ...(changes && { declaredChanges: changes }) }];
    }),
  );
}

/** @param names as the definition has them; of their form it speaks elsewhere */
export function overrideIssues(names: JsonValue | undefined, known: Known): Issue[] {
  if (!Array.isArray(names)) return [];
  return names.flatMap((name, at): Issue[] => {
    if (typeof name !== 'string') return [];
    const path = `overrides[${at}]`;
    const id = idOf(name, known);
    if (name === 'memory' || isMemoryProcessor(id)) {
      const message = `"${name}" cannot be overridden: memory stays as the agent has it.`;
      return [{ code: 'agent-invalid', message, path, remedy: 'Take it out.' }];
    }
    if (known.processors.has(id)) return [];
    return [
      { code: 'processor-unknown', path, ...missing('processor', name, [...known.processors.keys()], known.refused) },
    ];
  });
}
