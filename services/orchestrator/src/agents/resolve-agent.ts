// From a definition to an agent with its plan: every list resolved into entries in their final order, with what discovery said of
// each processor. Pure; every problem is found and named, all at once.
import {
  stagesOfList,
  STAGES,
  type Agent,
  type EntryObject,
  type Issue,
  type JsonObject,
  type JsonValue,
  type ListName,
  type Plan,
  type PlanEntry,
  type Stage,
  type ToolDefinition,
} from '@millrace/contracts';
import type { FoundProcessor } from '../discovery.ts';
import { schemaProblems } from '../json-schema.ts';
import { readDefinition, type ListedEntry } from './definition-issues.ts';
import { orderEntries, type Placed } from './entry-order.ts';
import { expandMemory, isMemoryProcessor, misusedMemory } from './memory-entries.ts';

export type Known = { processors: ReadonlyMap<string, FoundProcessor>; tools: ReadonlyMap<string, ToolDefinition> };
export type Resolved = { agent: Agent; plan: Plan } | { issues: Issue[] };

type Use = Placed & { list: ListName; found: FoundProcessor; given: ListedEntry['entry'] };

export function resolveAgent(definition: JsonValue, known: Known): Resolved {
  const { agent, entries, issues } = readDefinition(definition);
  const aliasOf = (name: string) => byName(name, known.processors)?.descriptor.id ?? name;
  const memory = agent?.memory ?? memoryOf(definition);
  const uses = expandMemory(entries, memory, aliasOf).flatMap((listed) => use(listed, known, issues, aliasOf));
  issues.push(
    ...misusedMemory(entries),
    ...duplicates(uses),
    ...firstUses(uses).flatMap((one) => optionIssues(one, uses)),
    ...differing(uses),
    ...toolIssues(definition, known),
  );
  const inOrder = (list: ListName) => {
    const result = orderEntries(
      list,
      uses.filter((one) => one.list === list),
    );
    issues.push(...result.issues);
    return result.ordered;
  };
  const ordered = { input: inOrder('input'), output: inOrder('output'), error: inOrder('error') };
  if (issues.length > 0 || !agent) return { issues };
  return { agent, plan: planOf(agent, ordered, uses, known) };
}

function byName(name: string, processors: Known['processors']): FoundProcessor | undefined {
  return processors.get(name) ?? [...processors.values()].find(({ descriptor }) => descriptor.aliases.includes(name));
}

/** Good enough to go on looking for problems where the definition has others. */
function memoryOf(definition: JsonValue): Agent['memory'] {
  return isObject(definition) && definition['memory'] ? {} : undefined;
}

const isObject = (value: JsonValue): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function use(
  { list, path, entry }: ListedEntry,
  known: Known,
  issues: Issue[],
  aliasOf: (name: string) => string,
): Use[] {
  const found = byName(entry.use, known.processors);
  if (!found) {
    const names = [...known.processors.keys()].toSorted().join(', ') || 'none';
    issues.push({
      code: 'processor-unknown',
      message: `No running service has a processor "${entry.use}".`,
      path,
      remedy: `Start its service, or choose one that is there: ${names}.`,
    });
    return [];
  }
  const { descriptor } = found;
  if (!descriptor.stages.some((stage) => stagesOfList(list).includes(stage))) {
    const message = `"${descriptor.id}" has no stage of the ${list} list; it has ${descriptor.stages.join(', ')}.`;
    issues.push({
      code: 'entry-without-stage',
      message,
      path,
      remedy: `List it under ${descriptor.lists.join(' or ')}.`,
    });
    return [];
  }
  const after = entry.after === undefined ? undefined : aliasOf(entry.after);
  const before = entry.before === undefined ? undefined : aliasOf(entry.before);
  return [
    { list, path, name: entry.as ?? descriptor.id, processor: descriptor.id, after, before, found, given: entry },
  ];
}

function duplicates(uses: readonly Use[]): Issue[] {
  return uses.flatMap((one, at) => {
    const twin = uses
      .slice(0, at)
      .find((other) => other.name === one.name && (other.list === one.list || other.processor !== one.processor));
    if (!twin) return [];
    const message = `"${one.name}" is the name of two entries (${twin.path} and ${one.path}).`;
    return [
      { code: 'entry-duplicate' as const, message, path: one.path, remedy: 'Give one of them another name with `as`.' },
    ];
  });
}

/** An entry that stands in two lists is looked at once. */
function firstUses(uses: readonly Use[]): Use[] {
  return uses.filter((one, at) => uses.findIndex((other) => other.name === one.name) === at);
}

function optionIssues(first: Use, uses: readonly Use[]): Issue[] {
  const { found, path } = uses.find((one) => one.name === first.name && one.given.options !== undefined) ?? first;
  const options = optionsOf(uses.filter((one) => one.name === first.name));
  return schemaProblems(found.descriptor.optionsSchema, options).map((problem) => ({
    code: 'options-invalid' as const,
    message: `${found.descriptor.id}: ${problem.message}.`,
    path: path.includes('[') ? `${path}.options${problem.path}` : path,
    remedy: `millrace processors list --json shows the options of ${found.descriptor.id}.`,
  }));
}

/** Options may be given at either use of an entry. */
function optionsOf(uses: readonly Use[]): JsonObject {
  return uses.map((one) => one.given.options).find((options) => options !== undefined) ?? {};
}

/** What an entry has once, whatever lists it stands in. */
const SHARED = ['options', 'timeoutMs', 'attempts', 'onFailure'] as const;

/** A processor that stands in two lists is one entry: what is given twice must be the same. */
function differing(uses: readonly Use[]): Issue[] {
  return uses.flatMap((one, at) => {
    const first = uses.slice(0, at).find((other) => other.name === one.name && other.list !== one.list);
    if (!first) return [];
    return SHARED.filter((key) => differ(first.given[key], one.given[key])).map((key) => ({
      code: key === 'options' ? ('options-invalid' as const) : ('agent-invalid' as const),
      message: `"${one.name}" has another ${key} at ${first.path} than at ${one.path}, but is one entry.`,
      path: one.path,
      remedy: `Give ${key} once, or name one of the two with \`as\`.`,
    }));
  });
}

function differ(one: unknown, other: unknown): boolean {
  return one !== undefined && other !== undefined && JSON.stringify(one) !== JSON.stringify(other);
}

function toolIssues(definition: JsonValue, known: Known): Issue[] {
  const tools = isObject(definition) ? definition['tools'] : undefined;
  if (!Array.isArray(tools)) return [];
  return tools.flatMap((name, at): Issue[] => {
    if (typeof name !== 'string') return [];
    const path = `tools[${at}]`;
    if (tools.indexOf(name) < at) {
      return [{ code: 'agent-invalid', message: `"${name}" is listed twice.`, path, remedy: 'Remove one of the two.' }];
    }
    if (known.tools.has(name)) return [];
    const remedy = `Start its service, or choose one that is there: ${[...known.tools.keys()].join(', ') || 'none'}.`;
    return [{ code: 'tool-unknown', message: `No running service has a tool "${name}".`, path, remedy }];
  });
}

function planOf(agent: Agent, ordered: Record<ListName, Use[]>, uses: readonly Use[], known: Known): Plan {
  const entries = Object.fromEntries(
    uses.map(({ name }) => [
      name,
      planEntry(
        name,
        uses.filter((one) => one.name === name),
      ),
    ]),
  );
  const order: Plan['order'] = {};
  for (const stage of STAGES) {
    const names = listOf(stage, ordered)
      .filter(({ found }) => found.descriptor.stages.includes(stage))
      .map(({ name }) => name);
    if (names.length > 0) order[stage] = names;
  }
  return { entries, order, tools: agent.tools.flatMap((name) => known.tools.get(name) ?? []) };
}

function listOf(stage: Stage, ordered: Record<ListName, Use[]>): Use[] {
  const list = (['input', 'output', 'error'] as const).find((name) => stagesOfList(name).includes(stage));
  return list ? ordered[list] : [];
}

function planEntry(name: string, uses: readonly Use[]): PlanEntry {
  const [first] = uses;
  if (!first) throw new Error(`an entry "${name}" without a use`);
  const { found, processor } = first;
  const { service, descriptor } = found;
  const given = <K extends keyof EntryObject>(key: K) =>
    uses.map((one) => one.given[key]).find((value) => value !== undefined);
  const { policy } = descriptor;
  return {
    entry: name,
    processor,
    service,
    version: descriptor.version,
    lists: [...new Set(uses.map((one) => one.list))],
    stages: descriptor.stages,
    reads: descriptor.reads,
    processDataParts: descriptor.processDataParts,
    options: optionsOf(uses),
    required: uses.some((one) => one.given.required === true),
    memory: isMemoryProcessor(processor),
    timeoutMs: given('timeoutMs') ?? policy.timeoutMs,
    attempts: given('attempts') ?? policy.attempts,
    onFailure: given('onFailure') ?? policy.onFailure,
  };
}
