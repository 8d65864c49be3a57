// Locates the values of a JSON text, so that their text can be kept: JSON.parse rounds numbers and forgets spelling.

import { isObject } from './json.ts';

/** Offsets of a value in its text, and the values within it. `twice`: a name that two members of the object have. */
export type JsonNode = Readonly<{
  start: number;
  end: number;
  members?: ReadonlyMap<string, JsonNode>;
  items?: readonly JsonNode[];
  twice?: string;
}>;

/** @param text valid JSON of bounded depth */
export const locateNodes = (text: string): JsonNode => scanValue({ text, at: 0 });

/** Returns the first name that two members of one object have: readers of such a text disagree about its value. */
export function findTwice({ members, items, twice }: JsonNode): string | undefined {
  if (twice !== undefined) return twice;
  for (const inner of members?.values() ?? items ?? []) {
    const found = findTwice(inner);
    if (found !== undefined) return found;
  }
  return undefined;
}

type Scan = { readonly text: string; at: number };

const [QUOTE, BACKSLASH, COMMA, COLON] = [0x22, 0x5c, 0x2c, 0x3a];
const [OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT, SPACE] = [0x5b, 0x5d, 0x7b, 0x7d, 0x20];

function scanValue(scan: Scan): JsonNode {
  skipSpace(scan);
  const start = scan.at;
  switch (scan.text.charCodeAt(start)) {
    case OPEN_OBJECT:
      return { start, ...scanMembers(scan), end: scan.at };
    case OPEN_ARRAY:
      return { start, items: scanItems(scan), end: scan.at };
    default:
      skipValue(scan);
      return { start, end: scan.at };
  }
}

function scanMembers(scan: Scan): Pick<JsonNode, 'members' | 'twice'> {
  const members = new Map<string, JsonNode>();
  let twice: string | undefined;
  while (enterNext(scan)) {
    const name = scanName(scan);
    if (members.has(name)) twice ??= name;
    members.set(name, scanValue(scan));
  }
  return { members, ...(twice !== undefined && { twice }) };
}

function scanItems(scan: Scan): JsonNode[] {
  const items: JsonNode[] = [];
  while (enterNext(scan)) items.push(scanValue(scan));
  return items;
}

/** Moves over an opening bracket or a comma to the next value; moves over the closing bracket and returns false at the end. */
function enterNext(scan: Scan): boolean {
  skipSpace(scan);
  const code = scan.text.charCodeAt(scan.at);
  scan.at += 1;
  if (isClosing(code)) return false;
  skipSpace(scan);
  if (!isClosing(scan.text.charCodeAt(scan.at))) return true;
  scan.at += 1;
  return false;
}

const isClosing = (code: number): boolean => code === CLOSE_OBJECT || code === CLOSE_ARRAY;

/** Returns the name of a member, and moves over the colon. */
function scanName(scan: Scan): string {
  const { text, at: start } = scan;
  skipText(scan);
  const inner = text.slice(start + 1, scan.at - 1);
  skipSpace(scan);
  scan.at += 1;
  return inner.includes('\\') ? String(JSON.parse(`"${inner}"`)) : inner;
}

/** Moves over a value without reading it. */
function skipValue(scan: Scan): void {
  const { text } = scan;
  let depth = 0;
  for (; scan.at < text.length; scan.at += 1) {
    const code = text.charCodeAt(scan.at);
    if (code === QUOTE) {
      skipText(scan);
      scan.at -= 1;
      if (depth === 0) break;
    } else if (code === OPEN_OBJECT || code === OPEN_ARRAY) depth += 1;
    else if (isClosing(code)) {
      if (depth === 0) return;
      depth -= 1;
      if (depth === 0) break;
    } else if (depth === 0 && (code === COMMA || code === COLON || code <= SPACE)) return;
  }
  scan.at += 1;
}

function skipText(scan: Scan): void {
  const { text } = scan;
  scan.at += 1;
  for (; scan.at < text.length; scan.at += 1) {
    const code = text.charCodeAt(scan.at);
    if (code === BACKSLASH) scan.at += 1;
    else if (code === QUOTE) break;
  }
  scan.at += 1;
}

function skipSpace(scan: Scan): void {
  while (scan.text.charCodeAt(scan.at) <= SPACE) scan.at += 1;
}

/** `path` is that of the member, `own` its text. */
export type MemberVisitor = (member: {
  owner: Record<string, unknown>;
  name: string;
  own: string;
  path: string;
}) => void;

/** A place of a document: the members to visit there, and the places within it. An array has its place under `[]`. */
export type NodePlaces = { names: readonly string[]; inner: ReadonlyMap<string, NodePlaces> };

/** @param owners names of members by the place of their object, such as `messages[].parts[]`; '' is the document */
export function buildPlaces(owners: Readonly<Record<string, readonly string[]>>): NodePlaces {
  const placed = Object.entries(owners).map(([place, names]) => ({ steps: place.match(/\[\]|[^.[]+/g) ?? [], names }));
  const build = (left: readonly { steps: readonly string[]; names: readonly string[] }[]): NodePlaces => {
    const groups = Map.groupBy(left, ({ steps }) => steps[0] ?? '');
    const inner = [...groups].flatMap(([step, own]): [string, NodePlaces][] =>
      step === '' ? [] : [[step, build(own.map(({ steps, names }) => ({ steps: steps.slice(1), names })))]],
    );
    return { names: groups.get('')?.flatMap(({ names }) => names) ?? [], inner: new Map(inner) };
  };
  return build(placed);
}

/**
 * Visits the members of the places, and reads over the rest.
 * @param value JSON.parse of the text
 */
export function visitMembers(text: string, value: unknown, places: NodePlaces, visit: MemberVisitor): void {
  visitValue({ text, at: 0, visit }, value, '', places);
}

type Walk = Scan & { readonly visit: MemberVisitor };

function visitValue(walk: Walk, value: unknown, path: string, places: NodePlaces | undefined): void {
  skipSpace(walk);
  const items = places?.inner.get('[]');
  if (Array.isArray(value) && items) {
    for (let at = 0; enterNext(walk); at += 1) visitValue(walk, value[at], `${path}[${at}]`, items);
  } else if (isObject(value) && places) visitOwner(walk, value, path, places);
  else skipValue(walk);
}

function visitOwner(walk: Walk, owner: Record<string, unknown>, path: string, { names, inner }: NodePlaces): void {
  while (enterNext(walk)) {
    const name = scanName(walk);
    const own = path === '' ? name : `${path}.${name}`;
    if (names.includes(name)) {
      skipSpace(walk);
      const start = walk.at;
      skipValue(walk);
      walk.visit({ owner, name, own: walk.text.slice(start, walk.at), path: own });
    } else visitValue(walk, owner[name], own, inner.get(name));
  }
}
