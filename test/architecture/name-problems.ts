// Finds function names that are no verb phrases: names that end in `Of`, and bare participles. Pure.
import { Visitor, type Node } from 'oxc-parser';
import { parseSource } from './source-facts.ts';

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

/** Returns a line for each name of the source that ends in `Of`, and for each function that is named by a participle. */
export function findNameProblems(path: string, text: string): string[] {
  const functions = new Set<string>();
  const names = new Set<string>();
  const addFunction = (key: Node | null) => key?.type === 'Identifier' && functions.add(key.name);
  const isFunction = (node: Node | null): boolean =>
    node?.type === 'ArrowFunctionExpression' || node?.type === 'FunctionExpression';
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
