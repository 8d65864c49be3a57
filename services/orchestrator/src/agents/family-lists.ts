// Reads the lists of an agent's definition, also under the names of the families of modifiers: `processors` with
// `message_modifiers` is the form of their YAML. Pure.
import { isObject, listSchema, type Issue, type JsonObject, type JsonValue, type ListName } from '@millrace/contracts';

/** The families that one list of an agent holds. A step of the model has a method before it and one after it. */
const FAMILIES: Readonly<Record<string, ListName>> = {
  message_modifiers: 'input',
  tool_modifiers: 'input',
  response_modifiers: 'output',
};

/** `places`: the path of each entry. */
type FamilyList = { listed: JsonValue[] | undefined; places: string[] };
type FamilyLists = { rest: JsonObject; lists: Record<ListName, FamilyList>; issues: Issue[] };

/** Appends the lists of the families to `input` and `output`. A family without a list is an issue. */
export function readFamilies(definition: JsonObject): FamilyLists {
  const { processors, ...rest } = definition;
  const readOwn = (list: ListName): FamilyList => {
    const value = definition[list];
    const listed = Array.isArray(value) ? value : undefined;
    return { listed, places: (listed ?? []).map((_, at) => `${list}[${at}]`) };
  };
  const lists: Record<ListName, FamilyList> = {
    input: readOwn('input'),
    output: readOwn('output'),
    error: readOwn('error'),
  };
  if (processors === undefined) return { rest: definition, lists, issues: [] };
  const issues = Object.entries(isObject(processors) ? processors : { '': processors }).flatMap(([family, value]) => {
    const list = Object.hasOwn(FAMILIES, family) ? FAMILIES[family] : undefined;
    if (list === undefined || !Array.isArray(value)) return [createFamilyIssue(family)];
    // The form reports a member that is no list: a family must not replace it.
    if (definition[list] !== undefined && !Array.isArray(definition[list])) return [];
    const { listed = [], places } = lists[list];
    const added = value.map((_, at) => `processors.${family}[${at}]`);
    lists[list] = { listed: [...listed, ...value], places: [...places, ...added] };
    return [];
  });
  return { rest: { ...rest, ...pickPresent(lists) }, lists, issues };
}

/** A list of a family needs its member in the definition. */
const pickPresent = (lists: Record<ListName, FamilyList>): JsonObject =>
  Object.fromEntries(listSchema.options.flatMap((list) => (lists[list].listed ? [[list, []]] : [])));

function createFamilyIssue(family: string): Issue {
  const path = family === '' ? 'processors' : `processors.${family}`;
  const message =
    family === 'llm_steps'
      ? 'A step of the model has a method before the call and one after it.'
      : `"${path}" is no list of a family.`;
  const names = Object.keys(FAMILIES).join(', ');
  return {
    code: 'agent-invalid',
    message,
    path,
    remedy: `Use the lists ${names}, or list its entries under \`input\` and \`output\`.`,
  };
}
