// Applies the lists that a caller provides for one run in place of the agent's replaceable entries. Only processors that
// the agent allows are accepted, as they were resolved when the agent was applied; an operator may list any other, as it
// was resolved at the submission. All other entries stay, after the
// caller's, and memory after those. An entry of the caller must not have the name of one that stays: it would share its
// state or change its options. Pure.
import {
  resolveChanges,
  listStagesOfList,
  isKeptByOverrides,
  withMembers,
  getOwnMember,
  type AppliedAgent,
  type Issue,
  type JsonObject,
  type ListName,
  type OverrideEntry,
  type Plan,
  type PlanEntry,
  type Overridable,
  type RunRequest,
  type StoredRequest,
} from '@millrace/contracts';

const FIELDS = { input: 'inputProcessors', output: 'outputProcessors', error: 'errorProcessors' } as const;
const LISTS = ['input', 'output', 'error'] as const;

/** One use of a processor in a caller's list. */
export type OverrideUse = {
  list: ListName;
  path: string;
  name: string;
  processor: string;
  options?: JsonObject | undefined;
};

export function overrideUses(request: RunRequest): OverrideUse[] {
  return LISTS.flatMap((list) =>
    (request[FIELDS[list]] ?? []).map((entry, at) => readOverride(list, `${FIELDS[list]}[${at}]`, entry)),
  );
}

function readOverride(list: ListName, path: string, entry: OverrideEntry): OverrideUse {
  if (typeof entry === 'string') return { list, path, name: entry, processor: entry };
  return { list, path, name: entry.as ?? entry.use, processor: entry.use, options: entry.options };
}

export const hasOverrides = (request: RunRequest): boolean =>
  listOverridden(request).length > 0 || request.maxProcessorRetries !== undefined;

/** Returns the processors that the lists of the request may name: those of the agent, and those that its operator has opened. */
export const collectOverridable = ({ overridable }: Plan, { opened }: StoredRequest): Record<string, Overridable> => ({
  ...opened,
  ...overridable,
});

const listOverridden = (request: RunRequest): ListName[] => LISTS.filter((list) => request[FIELDS[list]] !== undefined);

/** Returns the plan of the request, or all issues if the agent does not allow it. */
export function overridePlan(
  { agent, plan }: AppliedAgent,
  request: StoredRequest,
): { plan: Plan } | { issues: Issue[] } {
  const lists = listOverridden(request);
  if (!hasOverrides(request)) return { plan };
  if (!agent.overrides && !request.opened) return { issues: findForbidden(request) };
  const uses = overrideUses(request);
  const kept = keepListsOnly(plan, lists);
  const overridable = collectOverridable(plan, request);
  const issues = [
    ...findUseIssues(uses, overridable, new Set([...Object.keys(kept.entries), ...(agent.questions ?? [])])),
  ];
  if (issues.length > 0) return { issues };
  const byName = Map.groupBy(uses, ({ name }) => name);
  const own = Object.fromEntries([...byName].flatMap(([name, all]) => makeEntry(overridable, name, all)));
  const order: Plan['order'] = { ...kept.order };
  for (const list of lists)
    for (const stage of listStagesOfList(list)) {
      const first = uses.filter((use) => use.list === list && own[use.name]?.stages.includes(stage));
      const names = [...first.map(({ name }) => name), ...(order[stage] ?? [])];
      if (names.length > 0) order[stage] = names;
    }
  const listed: Plan['listed'] = { ...kept.listed };
  for (const list of lists) {
    const first = uses.filter((use) => use.list === list).map(({ name }) => name);
    listed[list] = [...first, ...(listed[list] ?? [])];
  }
  return { plan: { ...kept, entries: { ...own, ...kept.entries }, order, listed } };
}

/** Removes the replaceable entries of the lists that the caller provides. The others precede memory. */
function keepListsOnly(plan: Plan, lists: readonly ListName[]): Plan {
  const order: Plan['order'] = { ...plan.order };
  const listStaying = (names: readonly string[] = []): string[] => {
    const left = names.flatMap((name) => plan.entries[name] ?? []).filter(isKeptByOverrides);
    return [...left.filter(({ memory }) => !memory), ...left.filter(({ memory }) => memory)].map(({ entry }) => entry);
  };
  for (const stage of lists.flatMap(listStagesOfList)) {
    order[stage] = listStaying(order[stage]);
    if (order[stage].length === 0) delete order[stage];
  }
  const listed: Plan['listed'] = { ...plan.listed };
  for (const list of lists) listed[list] = listStaying(listed[list]);
  const isListed = (entry: PlanEntry, list: ListName) => !lists.includes(list) || isKeptByOverrides(entry);
  const entries = Object.values(plan.entries).flatMap((entry): PlanEntry[] => {
    const left = entry.lists.filter((list) => isListed(entry, list));
    return left.length === 0 ? [] : [{ ...entry, lists: left }];
  });
  const own = Object.fromEntries(entries.map((entry) => [entry.entry, entry]));
  const groups = plan.groups?.flatMap((group) =>
    withMembers(group, (name) => getOwnMember(own, name)?.lists.includes(group.list) === true),
  );
  return { ...plan, order, listed, entries: own, ...(groups && { groups }) };
}

type Templates = Record<string, Overridable>;

function makeEntry(overridable: Templates, name: string, uses: readonly OverrideUse[]): [string, PlanEntry][] {
  const [first] = uses;
  const template = first && getOwnMember(overridable, first.processor);
  if (!template) return [];
  const { optionsSchema, declaredChanges, ...processor } = template;
  const options = first.options ?? {};
  const changes = declaredChanges && resolveChanges(declaredChanges, optionsSchema, options);
  const lists = [...new Set(uses.map(({ list }) => list))];
  return [[name, { ...processor, entry: name, lists, options, ...(changes && { changes }) }]];
}

function findUseIssues(uses: readonly OverrideUse[], overridable: Templates, taken: ReadonlySet<string>): Issue[] {
  const allowed = Object.keys(overridable).join(', ') || 'none';
  return uses.flatMap((use, at): Issue[] => {
    const { list, path, name, processor } = use;
    const template = getOwnMember(overridable, processor);
    if (!template)
      return [issue(path, `Callers of this agent may not list "${processor}".`, `They may list: ${allowed}.`)];
    if (!template.stages.some((stage) => listStagesOfList(list).includes(stage)))
      return [
        issue(
          path,
          `"${processor}" has no stage of the ${list} list.`,
          `It belongs under ${template.lists.join(' or ')}.`,
        ),
      ];
    if (taken.has(name)) return [issue(path, `"${name}" is the name of an entry of the agent.`, RENAME)];
    const twin = uses.slice(0, at).find((other) => other.name === name && (other.list === list || !isSame(other, use)));
    return twin
      ? [issue(path, `"${name}" is the name of ${twin.path} too.`, 'Choose another name for one of the two with `as`.')]
      : [];
  });
}

const RENAME = "Choose another name with `as`, or declare the agent's entry as `replaceable: true`.";

/** A processor in two lists is one entry. */
function isSame(one: OverrideUse, other: OverrideUse): boolean {
  return one.processor === other.processor && JSON.stringify(one.options) === JSON.stringify(other.options);
}

function findForbidden(request: RunRequest): Issue[] {
  const given = [...Object.values(FIELDS), 'maxProcessorRetries' as const].filter(
    (field) => request[field] !== undefined,
  );
  const remedy = "Remove it, or list the processors that callers may use under the agent's `overrides`.";
  return given.map((field) => issue(field, `This agent does not let its callers override ${field}.`, remedy));
}

const issue = (path: string, message: string, remedy: string): Issue => ({
  code: 'run-refused',
  path,
  message,
  remedy,
});
