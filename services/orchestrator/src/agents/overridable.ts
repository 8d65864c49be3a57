// Resolves the processors that callers may list for one run together with the agent, so that a submission and the start
// of a run use the version that the agent's author has seen, whatever is running then. Those that an operator lists
// beyond them are resolved at the submission. Pure.
import {
  readMemoryKey,
  type Issue,
  type JsonValue,
  type Overridable,
  isKeptByOverrides,
  getOwnMember,
  type Plan,
} from '@millrace/contracts';
import type { DiscoveredProcessor } from '../peers/discovery.ts';
import { findProcessor, getProcessorId, createMissingIssue, type KnownProcessors } from './entry-uses.ts';

export function listOverridable(names: readonly string[], known: KnownProcessors): Record<string, Overridable> {
  const found = names.flatMap((name) => known.processors.get(getProcessorId(name, known)) ?? []);
  return Object.fromEntries(found.map((one) => [one.descriptor.id, makeOverridable(one)]));
}

/** Resolves the processors of the uses that the plan does not open to callers, or returns the issues of their names. */
export function openUses(
  uses: readonly { processor: string; path: string }[],
  plan: Plan,
  known: KnownProcessors,
): { opened: Record<string, Overridable> } | { issues: Issue[] } {
  const others = uses.filter(({ processor }) => !getOwnMember(plan.overridable ?? {}, processor));
  const issues = others.flatMap(({ processor, path }) => findNameIssues(processor, path, known));
  if (issues.length > 0) return { issues };
  const found = others.flatMap(({ processor }): [string, Overridable][] => {
    const one = findProcessor(processor, known);
    return one ? [[processor, makeOverridable(one)]] : [];
  });
  return { opened: Object.fromEntries(found) };
}

function makeOverridable({ descriptor, service }: DiscoveredProcessor): Overridable {
  const { id, version, stages, reads, processDataParts, processCutOff, lists, policy } = descriptor;
  const { optionsSchema, changes, judgesText, addsText } = descriptor;
  const takes = {
    reads,
    processDataParts,
    ...(processCutOff && { processCutOff }),
    ...(judgesText && { judgesText }),
    ...(addsText && { addsText }),
  };
  const called = { entry: id, processor: id, service, version, lists, stages, ...takes, ...policy };
  const own = { ...called, options: {}, required: false, memory: false, optionsSchema };
  return { ...own, ...(changes && { declaredChanges: changes }) };
}

/** @param names from the definition; problems of their form are reported elsewhere */
export function findOverrideIssues(names: JsonValue | undefined, known: KnownProcessors): Issue[] {
  if (!Array.isArray(names)) return [];
  return names.flatMap((name, at) => (typeof name === 'string' ? findNameIssues(name, `overrides[${at}]`, known) : []));
}

function findNameIssues(name: string, path: string, known: KnownProcessors): Issue[] {
  const id = getProcessorId(name, known);
  if (name === 'memory' || readMemoryKey(id, known.processors.get(id)?.descriptor ?? {})) {
    const message = `"${name}" cannot be overridden: memory stays as the agent has it.`;
    return [{ code: 'agent-invalid', message, path, remedy: 'Remove it.' }];
  }
  if (known.processors.has(id)) return [];
  const issue = createMissingIssue('processor', name, [...known.processors.keys()], known.refused);
  return [{ code: 'processor-unknown', path, ...issue }];
}

/**
 * Warns that a definition which is applied again keeps entries that overrides of its stored version replace: plans of
 * earlier versions keep the entries with `required` only.
 */
export function warnOfKeptEntries(stored: Plan, plan: Plan): Issue[] {
  if (!stored.overridable || !plan.overridable) return [];
  const kept = Object.values(plan.entries).filter((entry) => {
    const before = getOwnMember(stored.entries, entry.entry);
    return before && !isKeptByOverrides(before) && isKeptByOverrides(entry);
  });
  if (kept.length === 0) return [];
  const names = kept.map(({ entry }) => entry).join(', ');
  const message = `A caller's list replaces these entries of the stored agent; those of this one stay: ${names}.`;
  const remedy = 'To let callers replace an entry, list it as {use: NAME, replaceable: true}.';
  return [{ code: 'entries-kept', message, remedy }];
}
