// Reads an agent's definition as far as possible and reports every problem of its form: unknown fields and wrong types,
// by name. Entries are read one by one, so that an invalid entry does not hide the others.
import {
  isObject,
  listIssues,
  AGENT_LIMITS,
  agentEntrySchema,
  agentSchema,
  agentToolSchema,
  formatPath,
  groupObjectSchema,
  listSchema,
  memorySchema,
  modelSettingsSchema,
  suggestName,
  type Agent,
  type EntryObject,
  type Issue,
  type JsonObject,
  type JsonValue,
  type ListName,
} from '@millrace/contracts';
import { z } from 'zod';
import { readFamilies } from './family-lists.ts';

/** `group`: path of the parallel group that contains it. */
export type ListedEntry = { list: ListName; path: string; entry: EntryObject; group?: string; overlap?: 'model' };
export type ReadDefinition = {
  /** Present only if the form has no problem. */
  agent: Agent | undefined;
  entries: ListedEntry[];
  issues: Issue[];
};

export function readDefinition(definition: JsonValue): ReadDefinition {
  if (typeof definition !== 'object' || definition === null || Array.isArray(definition)) {
    return {
      agent: undefined,
      entries: [],
      issues: [createInvalidIssue('', 'An agent is an object with name, model and lists of processors.')],
    };
  }
  const hidden = findHiddenMembers(definition);
  if (hidden.length > 0) return { agent: undefined, entries: [], issues: hidden };
  const { rest, entries, issues } = readLists(definition);
  const parsed = agentSchema.safeParse(rest);
  if (!parsed.success)
    issues.push(
      ...parsed.error.issues.flatMap((issue) =>
        findFormIssues(issue, issue.path.length > 0 ? NESTED_FIELDS : AGENT_FIELDS),
      ),
    );
  const lists = Object.fromEntries(listSchema.options.map((list) => [list, readList(entries, list)]));
  const agent = parsed.success && issues.length === 0 ? { ...parsed.data, ...lists } : undefined;
  return { agent, entries, issues };
}

/** Replaces the members of a group by the group. */
function readList(entries: readonly ListedEntry[], list: ListName): Agent[ListName] {
  const own = entries.filter((one) => one.list === list);
  const places = [...Map.groupBy(own, ({ group, path }) => group ?? path).values()];
  return places.flatMap((members): Agent[ListName] => {
    const [first] = members;
    const all = members.map(({ entry }) => entry);
    return first?.group === undefined ? all : [{ parallel: all, ...(first.overlap && { overlap: first.overlap }) }];
  });
}

function readLists(definition: JsonObject) {
  const entries: ListedEntry[] = [];
  const families = readFamilies(definition);
  const { issues } = families;
  const rest: JsonObject = { ...families.rest };
  for (const list of listSchema.options) {
    const { listed, places } = families.lists[list];
    if (!listed) continue;
    rest[list] = [];
    const count = listed.reduce<number>((sum, value) => sum + countEntries(value), 0);
    if (count > AGENT_LIMITS.maxEntries) {
      const message = `The ${list} list has ${count} entries; it may have ${AGENT_LIMITS.maxEntries}.`;
      issues.push({ ...createInvalidIssue(list, message), remedy: 'Combine related processors into one.' });
      continue;
    }
    listed.forEach((value, at) => {
      const path = places[at] ?? list;
      if (isObject(value) && 'parallel' in value) {
        const group = readGroup(list, value, path);
        entries.push(...group.entries);
        issues.push(...group.issues);
        return;
      }
      const parsed = agentEntrySchema.safeParse(nameUse(value));
      if (parsed.success) entries.push({ list, path, entry: parsed.data });
      else issues.push(...findEntryIssues(parsed.error, path));
    });
  }
  return { rest, entries, issues };
}

/** Returns the number of members of a group, and 1 for an entry. */
function countEntries(value: JsonValue): number {
  return isObject(value) && Array.isArray(value['parallel']) ? value['parallel'].length : 1;
}

function readGroup(list: ListName, group: JsonObject, path: string): Pick<ReadDefinition, 'entries' | 'issues'> {
  const members = group['parallel'];
  const parsed = groupObjectSchema.safeParse({
    ...group,
    ...(Array.isArray(members) && { parallel: members.map(nameUse) }),
  });
  if (!parsed.success) return { entries: [], issues: findEntryIssues(parsed.error, path) };
  const { parallel, overlap } = parsed.data;
  const common = { list, group: path, ...(overlap && { overlap }) };
  const entries = parallel.map((entry, at) => ({ ...common, path: `${path}.parallel[${at}]`, entry }));
  return { entries, issues: [] };
}

/** Maximum number of reported members. */
const MAX_HIDDEN = 10;

/** `__proto__` as a member: some readers of JSON drop it, others use it as the object's prototype. */
function findHiddenMembers(value: JsonValue, path = ''): Issue[] {
  if (typeof value !== 'object' || value === null) return [];
  const found: Issue[] = [];
  for (const [key, member] of Object.entries(value)) {
    const at = Array.isArray(value) ? `${path}[${key}]` : path === '' ? key : `${path}.${key}`;
    if (key === '__proto__')
      found.push({ ...createInvalidIssue(at, 'There is no field "__proto__".'), remedy: 'Give it another name.' });
    else found.push(...findHiddenMembers(member, at));
    if (found.length >= MAX_HIDDEN) break;
  }
  return found.slice(0, MAX_HIDDEN);
}

/** `name` is the member of other frameworks for `use`. */
const nameUse = (value: JsonValue): JsonValue => {
  if (!isObject(value) || 'use' in value || !('name' in value)) return value;
  const { name, ...rest } = value;
  return { ...rest, use: name ?? null };
};

const AGENT_FIELDS = Object.keys(agentSchema.shape);
/** Fields of the objects in an agent: its memory, and its tools. */
const NESTED_FIELDS = [
  ...Object.keys(memorySchema.shape),
  ...Object.keys(modelSettingsSchema.shape),
  ...agentToolSchema.options.flatMap(listFields),
];
const ENTRY_FIELDS = agentEntrySchema.options.flatMap(listFields);

function listFields(form: object): string[] {
  return form instanceof z.ZodObject ? Object.keys(form.shape) : [];
}

/** Maximum number of unknown fields of one object that get a suggestion. */
const MAX_SUGGESTED = 10;

/** @param fields of the object, one of which an unknown field may mean */
function findFormIssues(issue: z.core.$ZodIssue, fields: readonly string[]): Issue[] {
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key, at) => {
      const path = formatPath([...issue.path, key]);
      return {
        ...createInvalidIssue(path, suggestName(`There is no field "${key}".`, key, at < MAX_SUGGESTED ? fields : [])),
        remedy: describeField(key) ?? 'Remove it, or look for its name in the documentation.',
      };
    });
  }
  return listIssues(new z.ZodError([issue])).map(({ path = '', message }) => createInvalidIssue(path, message));
}

/** Returns the remedy for a field that other frameworks have under another name. */
function describeField(key: string): string | undefined {
  const own = FOREIGN_FIELDS.get(key);
  return own && `Its name is \`${own}\` here.`;
}

const FOREIGN_FIELDS = new Map([
  ['maxTokens', 'maxOutputTokens'],
  ['max_tokens', 'maxOutputTokens'],
  ['max_output_tokens', 'maxOutputTokens'],
  ['top_p', 'topP'],
  ['stop', 'stopSequences'],
  ['inputProcessors', 'input'],
  ['outputProcessors', 'output'],
  ['errorProcessors', 'error'],
  ['retries', 'attempts'],
  ['timeout', 'timeoutMs'],
]);

/** An entry is a name or an object: issues describe the object form. */
function findEntryIssues(error: z.ZodError, path: string): Issue[] {
  return error.issues.flatMap((issue) => {
    const isUnion = issue.code === 'invalid_union';
    const inner = isUnion ? (issue.errors.at(-1) ?? []) : [issue];
    const place = isUnion && issue.path.length > 0 ? `${path}.${formatPath(issue.path)}` : path;
    return inner
      .flatMap((one) => findFormIssues(one, ENTRY_FIELDS))
      .map((one) => ({ ...one, path: one.path ? `${place}.${one.path}` : place }));
  });
}

function createInvalidIssue(path: string, message: string): Issue {
  return { code: 'agent-invalid', message, ...(path !== '' && { path }) };
}
