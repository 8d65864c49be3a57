// Keeps the text of JSON values that pass through: arguments and results of tools. A value travels with its text in a
// second member, which is absent if JSON.stringify writes the same text. A writer takes the text if it has that value;
// otherwise a processor has changed the value, and the writer rewrites the changed places.
import { MillraceError } from './errors.ts';
import { isObject, readJson, type JsonValue } from './json.ts';
import { buildPlaces, findTwice, locateNodes, visitMembers, type JsonNode, type MemberVisitor } from './json-nodes.ts';

/** `text`: absent if JSON.stringify writes the same text. */
export type ValueWithText = { value: JsonValue; text?: string };

/**
 * Reads a foreign text. A text that is no JSON, that no message can carry, or that has a member twice, is a string with itself as its
 * text: guards then judge all of it.
 */
export function readWithText(text: string): ValueWithText {
  const read = readJson(text);
  if (!read) return { value: text, text };
  const written = JSON.stringify(read.value);
  if (written === text) return read;
  // An infinite number is null, as it is after the value was sent.
  return findTwice(locateNodes(text)) === undefined ? { value: JSON.parse(written), text } : { value: text, text };
}

/** Returns the text of a value that has one, under the names of a message's members. */
export const nameText = <N extends string>(name: N, text: string | undefined): { [K in `${N}Text`]?: string } =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a computed name loses its literal type
  (text === undefined ? {} : { [`${name}Text`]: text }) as { [K in `${N}Text`]?: string };

/**
 * Writes a value as JSON: as its text, if the text has this value.
 * @param text of the value, which a processor may have changed since
 * @param path of the value, for the error
 * @throws number-inexact if JSON.stringify would round the number of a changed place
 */
export function writeWithText(value: JsonValue, text: string | undefined, path: string): string {
  if (text === undefined || value === text) return text ?? JSON.stringify(value);
  const own = locateText(text);
  if (!own) return rewrite(UNKNOWN, value, undefined, path);
  if (isSame(own.value, value)) return text;
  return rewrite({ text, inexact: new Set(listInexact(text, own.root)) }, value, own.root, path);
}

/** Returns undefined for a text without one certain value. */
function locateText(text: string): { value: JsonValue; root: JsonNode } | undefined {
  const read = readJson(text);
  const root = read && locateNodes(text);
  return root && findTwice(root) === undefined ? { value: read.value, root } : undefined;
}

/** Returns true if a double has the value of the number's text. */
export function isExact(number: string): boolean {
  const [held, sent] = [normalizeNumber(String(Number(number))), normalizeNumber(number)];
  return held !== undefined && held === sent;
}

/**
 * Returns the value with the texts of the numbers that a double does not have, such as those that a guard judges.
 * @param build makes the value of such a number
 */
export function replaceInexact(
  value: JsonValue,
  text: string | undefined,
  build: (number: string) => JsonValue,
): JsonValue {
  if (text === undefined || value === text || !isLong(text)) return value;
  const own = locateText(text);
  if (!own || !isSame(own.value, value) || listInexact(text, own.root).length === 0) return value;
  return rebuild(text, value, own.root, build);
}

/** Makes a value that JSON.stringify writes as the number's own digits: for `replaceInexact`, before the value is sent. */
export function writeNumber(number: string): JsonValue {
  // The types of a browser's library do not have the function.
  const write: unknown = Reflect.get(JSON, 'rawJSON');
  return typeof write === 'function' ? Reflect.apply(write, JSON, [number]) : Number(number);
}

/** Only such a text can have a number that a double does not have: many digits, or an exponent. */
const isLong = (text: string): boolean => /\d{16}|\d\.\d{12}|\d[eE]/.test(text);

const isSame = (one: JsonValue, other: JsonValue): boolean => JSON.stringify(one) === JSON.stringify(other);

/** `inexact`: the rounded values of the numbers that a double does not have; `unknown`: the text was broken. */
type Source = { text: string; inexact: ReadonlySet<number> | 'unknown' };
const UNKNOWN: Source = { text: '', inexact: 'unknown' };

function rewrite(source: Source, value: JsonValue, node: JsonNode | undefined, path: string): string {
  const own = node && source.text.slice(node.start, node.end);
  if (own !== undefined && isSame(JSON.parse(own), value)) return own;
  if (Array.isArray(value)) {
    const items = value.map((item, at) => rewrite(source, item, node?.items?.[at], `${path}[${at}]`));
    return `[${items.join(',')}]`;
  }
  if (isObject(value)) {
    const members = Object.entries(value).map(
      ([name, member]) =>
        `${JSON.stringify(name)}:${rewrite(source, member, node?.members?.get(name), `${path}.${name}`)}`,
    );
    return `{${members.join(',')}}`;
  }
  if (mayBeRounded(value, source)) throw createInexactError(path);
  return JSON.stringify(value);
}

/** After a message was encoded, an infinite number is null. */
function mayBeRounded(value: JsonValue, { inexact }: Source): boolean {
  if (value === null) return inexact !== 'unknown' && (inexact.has(Infinity) || inexact.has(-Infinity));
  if (typeof value !== 'number') return false;
  return inexact === 'unknown' ? Number.isInteger(value) && !Number.isSafeInteger(value) : inexact.has(value);
}

const createInexactError = (path: string): MillraceError =>
  new MillraceError(
    'number-inexact',
    `The number at ${path} would be rounded: a processor moved it, and a double does not hold it.`,
    {
      path,
      remedy: 'Change the processor so that it leaves the number in its place, or send the number as a string.',
    },
  );

/** Returns the rounded values of the numbers that a double does not have. */
function listInexact(text: string, node: JsonNode): number[] {
  const inner = [...(node.items ?? []), ...(node.members?.values() ?? [])];
  if (node.items || node.members) return inner.flatMap((one) => listInexact(text, one));
  const own = text.slice(node.start, node.end);
  return isNumber(own) && !isExact(own) ? [Number(own)] : [];
}

function rebuild(text: string, value: JsonValue, node: JsonNode, build: (number: string) => JsonValue): JsonValue {
  const { items, members } = node;
  if (Array.isArray(value))
    return value.map((item, at) => {
      const one = items?.[at];
      return one ? rebuild(text, item, one, build) : item;
    });
  if (isObject(value))
    return Object.fromEntries(
      Object.entries(value).map(([name, member]) => {
        const one = members?.get(name);
        return [name, one ? rebuild(text, member, one, build) : member];
      }),
    );
  const own = text.slice(node.start, node.end);
  return isNumber(own) && !isExact(own) ? build(own) : value;
}

const isNumber = (text: string): boolean => /^-?\d/.test(text);

/** Sign and digits of the exponents of a double. */
const MAX_POWER_LENGTH = 4;

/** Returns sign, digits without outer zeros, and the power of ten of the last digit. */
function normalizeNumber(number: string): string | undefined {
  const [, sign = '', whole = '', fraction = '', power = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(number) ?? [];
  if (whole === '') return undefined;
  const digits = `${whole}${fraction}`.replace(/^0+/, '');
  const significant = digits.replace(/0+$/, '');
  // The exponent of a zero could hold any digits.
  if (significant === '') return power.length <= MAX_POWER_LENGTH ? '0' : undefined;
  return `${sign}${significant}e${Number(power) - fraction.length + digits.length - significant.length}`;
}

/** Returns the text of a member, and its place in the text of the whole. @param json valid JSON */
export function takeMemberText(
  json: string,
  path: readonly string[],
): { text: string; start: number; end: number } | undefined {
  let node: JsonNode | undefined = locateNodes(json);
  for (const name of path) node = node?.members?.get(name);
  return node && { text: json.slice(node.start, node.end), start: node.start, end: node.end };
}

/**
 * Places of the texts in bodies and verbs: a page's parts, the parts of messages, and the answer to a call of a client's tool. A place is
 * never decided by the form of an object: a schema or a context may have a member of any name.
 */
const REQUEST_PLACES = buildPlaces({
  'messages[].parts[]': ['input', 'output'],
  'messages[].content.parts[].toolInvocation': ['args', 'result'],
  'input[].content.parts[].toolInvocation': ['args', 'result'],
  data: ['output'],
});
/** The result of a tool, in its reply. */
const REPLY_PLACES = buildPlaces({ '': ['result'] });

/**
 * Adds the texts of arguments and results to a parsed request or reply, and refuses a member that occurs twice in one of them.
 * @param value of JSON.parse, which is changed
 * @throws message-invalid
 */
export function attachTexts<T>(value: T, text: string, of: 'request' | 'reply'): T {
  visitMembers(text, value, of === 'request' ? REQUEST_PLACES : REPLY_PLACES, attachText);
  return value;
}

/** Returns the length of a value as JSON, in UTF-16 code units: that of its text, if it is longer. No sender shortens one by the other. */
export const measureJson = (value: JsonValue, text = ''): number => Math.max(JSON.stringify(value).length, text.length);

const attachText: MemberVisitor = ({ owner, name, own, path }) => {
  const twice = /[{[]/.test(own) ? findTwice(locateNodes(own)) : undefined;
  if (twice !== undefined)
    throw new MillraceError('message-invalid', `${path} has the member ${JSON.stringify(twice)} twice.`, {
      path,
      remedy: 'Send each member once: readers of JSON do not agree on the value of such an object.',
    });
  const written = JSON.stringify(owner[name]);
  if (written === own) return;
  owner[name] = JSON.parse(written);
  owner[`${name}Text`] = own;
};
