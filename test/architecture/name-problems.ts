// Finds names that do not describe: functions without a verb, names that end in `Of`, bare participles, vague words. Pure.
import { Visitor, type Node } from 'oxc-parser';
import { parseSource } from './source-facts.ts';
import { VERBS } from './verbs.ts';

/** Past participles that end in neither `ed` nor `en`, and are not verbs in the present tense as well. */
const IRREGULAR: ReadonlySet<string> = new Set([
  'begun',
  'built',
  'done',
  'drawn',
  'found',
  'gone',
  'held',
  'kept',
  'known',
  'lost',
  'made',
  'met',
  'paid',
  'said',
  'seen',
  'sent',
  'shown',
  'spent',
  'stood',
  'told',
  'won',
]);
/** Verbs and nouns that end like a participle. */
const NOT_PARTICIPLES: ReadonlySet<string> = new Set([
  'len',
  'embed',
  'exceed',
  'feed',
  'happen',
  'listen',
  'need',
  'open',
  'proceed',
  'red',
  'seed',
  'shorten',
  'speed',
  'token',
  'widen',
  'when',
  'then',
  'reopen',
  'hasten',
]);

export function isParticiple(name: string): boolean {
  if (IRREGULAR.has(name)) return true;
  return /^[a-z]+(?:ed|en)$/.test(name) && !NOT_PARTICIPLES.has(name);
}

/** Names of JSON Schema, the wire and libraries. */
const FOREIGN: ReadonlySet<string> = new Set([
  'allOf',
  'anyOf',
  'expectTypeOf',
  'getPrototypeOf',
  'indexOf',
  'instanceOf',
  'isPrototypeOf',
  'lastIndexOf',
  'multipleOf',
  'oneOf',
  'retryOf',
  'setPrototypeOf',
  'toBeInstanceOf',
  'toBeOneOf',
  'valueOf',
]);

const isFunction = (node: Node | null): boolean =>
  node?.type === 'ArrowFunctionExpression' || node?.type === 'FunctionExpression';

/** Returns a line for each name of the source that ends in `Of`, and for each function that is named by a participle. */
export function findNameProblems(path: string, text: string): string[] {
  const functions = new Set<string>();
  const names = new Set<string>();
  const addFunction = (key: Node | null) => key?.type === 'Identifier' && functions.add(key.name);
  new Visitor({
    Identifier: ({ name }) => void names.add(name),
    FunctionDeclaration: ({ id }) => void addFunction(id),
    VariableDeclarator: ({ id, init }) => void (isFunction(init) && addFunction(id)),
    Property: ({ key, method }) => void (method && addFunction(key)),
    MethodDefinition: ({ key }) => void addFunction(key),
    TSMethodSignature: ({ key }) => void addFunction(key),
  }).visit(parseSource(path, text));
  const ofs = [...names].filter((name) => /^[a-z]\w*Of$/.test(name) && !FOREIGN.has(name));
  return [
    ...ofs.map((name) => `${path}: ${name} ends in "Of"; name a function by a verb, a value by a noun`),
    ...[...functions]
      .filter(isParticiple)
      .map((name) => `${path}: ${name} is a participle; name the function by a verb`),
  ];
}

/** Names that other programs define: interfaces of the reference, and the constructors of the published packages. */
const PUBLIC: ReadonlySet<string> = new Set([
  'core',
  'db',
  'foreignProcessor',
  'llmStep',
  'messageModifier',
  'phaseProcessor',
  'processorService',
  'responseModifier',
  'toolInjectionModifier',
  'toolParameterModifier',
  'toolValidationModifier',
]);

/** Returns a line for each function that the source declares, if its name does not begin with a verb. Capitalized components of a page are omitted. */
export function findVerblessNames(path: string, text: string): string[] {
  const names = new Set<string>();
  const add = (key: Node | null) => key?.type === 'Identifier' && names.add(key.name);
  new Visitor({
    FunctionDeclaration: ({ id }) => void add(id),
    VariableDeclarator: ({ id, init }) => void (isFunction(init) && add(id)),
  }).visit(parseSource(path, text));
  return [...names]
    .filter((name) => /^[a-z]/.test(name) && !PUBLIC.has(name) && !VERBS.has(/^[a-z]+\d*/.exec(name)?.[0] ?? name))
    .map((name) => `${path}: ${name} does not begin with a verb of verbs.ts`);
}

/** Words of a report or of a journey, which name no component and no value. */
const VAGUE =
  /^(?:came|comes?|goes|gone|hear|heard|look|nobody|said|says?|see|stands|stay|stood|tell|tells|telling|told|who)$/;

/** Names of the wire, of stored records and hashes, and of published options. */
const STORED: ReadonlySet<string> = new Set(['said', 'say', 'says', 'tell', 'told']);

/** Returns a line for each name that the source declares and that contains a vague word. */
export function findVagueNames(path: string, text: string): string[] {
  const names = new Set<string>();
  const add = (node: Node | null | undefined) => node?.type === 'Identifier' && names.add(node.name);
  const addKey = (key: Node) => key.type === 'Identifier' && !STORED.has(key.name) && names.add(key.name);
  new Visitor({
    FunctionDeclaration: ({ id, params }) => [id, ...params].forEach(add),
    ArrowFunctionExpression: ({ params }) => params.forEach(add),
    VariableDeclarator: ({ id }) => void add(id),
    ObjectPattern: ({ properties }) =>
      properties.forEach((one) => one.type === 'Property' && !one.shorthand && add(one.value)),
    Property: ({ key }) => void addKey(key),
    TSMethodSignature: ({ key }) => void addKey(key),
    TSPropertySignature: ({ key }) => void addKey(key),
    TSTypeAliasDeclaration: ({ id }) => void add(id),
  }).visit(parseSource(path, text));
  return [...names]
    .filter((name) => splitWords(name).some((word) => VAGUE.test(word)))
    .map((name) => `${path}: ${name} contains a vague word; name the component, the event or the value`);
}

const splitWords = (name: string): string[] =>
  name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`).split(/[ _]/);

/** Types of published interfaces. `Run` is the client's, and in the orchestrator the run that it drives. */
const PUBLIC_TYPES: ReadonlySet<string> = new Set(['ChatRequest', 'Denied', 'Halted', 'Run', 'ToolResult']);

/** Returns a line for each type that several sources declare, and for each that is a bare participle. */
export function findTypeProblems(sources: readonly { path: string; text: string }[]): string[] {
  const places = new Map<string, string[]>();
  for (const { path, text } of sources) {
    const add = ({ id }: { id: { name: string } }) => places.set(id.name, [...(places.get(id.name) ?? []), path]);
    new Visitor({
      TSTypeAliasDeclaration: (node) => void add(node),
      TSInterfaceDeclaration: (node) => void add(node),
    }).visit(parseSource(path, text));
  }
  const named = [...places].filter(([name]) => !PUBLIC_TYPES.has(name));
  return [
    ...named
      .filter(([, paths]) => paths.length > 1)
      .map(([name, paths]) => `${paths.join(', ')}: the type ${name} is declared more than once`),
    ...named
      .filter(([name]) => isParticiple(name.toLowerCase()) && /^[A-Z][a-z]+$/.test(name))
      .map(([name, paths]) => `${paths.join(', ')}: the type ${name} is a participle; name it by a noun`),
  ];
}
