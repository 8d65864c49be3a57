// Finds values by their names: under a secret's name any value except placeholders, and under other names values with
// the form of a key.
import type { TextSpan } from '../../text/span.ts';
import { findProviderKeys } from './provider-keys.ts';
import { isPasswordName, isSecretName, SIGN } from './secret-names.ts';

/** Quoted, or up to the end of the value; a comma ends it before a space and before the next name. */
const VALUE = String.raw`(?:"([^"\n]{4,200})"|'([^'\n]{4,200})'|\x60([^\x60\n]{4,200})\x60|((?:[^\s"'\x60,;<>(){}[\]]|[,;](?=\S)(?!\w{1,40}[=:])){4,250}))`;
const assigned = new RegExp(
  String.raw`([\p{L}\w$.-]{2,64}(?: (?:key|token|secret|string|url))?)${SIGN}(?![\w.-]{1,64}:(?:\s|$))${VALUE}`,
  'giu',
);
const flag = new RegExp(String.raw`(?<![\w-])--?([a-z][\w-]{2,40})[ =]${VALUE}`, 'giu');

/** Placeholders that documentation shows instead of a secret. */
const placeholder =
  /^(?:.{0,3}|(.)\1*|[*•x.…_-]+|(?:your|my|the|some|this|that|a|an|not|no|an?y)\b.*|(?:your|my|example|sample|dummy|test|placeholder|change)(?:[-_ ]\w*|[a-z]*)|<.*>|\$\{?.*|%.*%|\{\{?.*|\[.*\]|(?:process\.env|os\.environ|env|config|settings|self|this|props|options|args|req|ctx|secrets|vault|params|input|data)[.[(].*|null|none|undefined|nil|true|false|string|boolean|number|required|optional|secret|token|password|passwd|pwd|key|redacted|hidden|empty|unset|missing|wrong|incorrect|invalid|expired|valid|correct|strong|weak|safe|ok|str|text|type|REDACTED.*|.*EXAMPLE(?:KEY)?|[\^~<>=v]{0,2}\d+\.\d+\.\d+.*|[A-Z]+(?:_[A-Z]+)+|\w+\(.*|\w*(?:\.\w+){2,}.*)$/i;
const plainWord = /^[\p{L}]+$/u;
const path = /^(?:\.{0,2}\/|[A-Z]:\\|https?:\/\/[^@\s]*$)/i;

/** Minimum length of a key, which mixes at least three kinds of characters. */
const MIN_KEY = 24;
const MIN_CHANGES = 0.25;
const MIN_TOKEN = 12;
const MIN_TOKEN_BITS = 2.8;
const MIN_PASSWORD = 6;
const key = /^[A-Za-z0-9+/_-]{24,250}={0,2}$/;
/** Prefixes of checksums and of images in text. */
const known = /^(?:sha\d{1,3}-|data:|h1:)/i;

export type NamedValue = TextSpan & { rule: 'named-secret' | 'high-entropy'; contextStart: number };

/** A password up to the end of its line, in YAML: it may contain any sign. */
const ofLine =
  /(?:^|(?<=[\s-]))([\w.-]{0,40}(?:pass(?:word|wd|phrase)|pwd)): ([^\s"'`#{$<*[&|>!%@][^\s"'`]{5,80})(?=[ \t]*(?:\n|$))/gi;

/** @param text the view of a segment @param minEntropy bits per character; 0: only values under a secret's name */
export function findNamedValues(text: string, minEntropy: number): NamedValue[] {
  return [...findAssigned(text, minEntropy), ...findOfLines(text)];
}

function findAssigned(text: string, minEntropy: number): NamedValue[] {
  return [...text.matchAll(assigned), ...text.matchAll(flag)].flatMap((match): NamedValue[] => {
    const value = match.slice(2).find((group) => group !== undefined) ?? '';
    const name = match[1] ?? '';
    const quotes = match[5] === undefined ? 1 : 0;
    const end = match.index + match[0].length - quotes;
    const trimmed = quotes === 1 ? value : value.replace(/[.:!?]+$/, '');
    const span = { start: end - value.length, end: end - value.length + trimmed.length, contextStart: match.index };
    // A call: `password: z.string()`.
    if (quotes === 0 && text.charAt(end) === '(') return [];
    if (isNamedSecret(name, trimmed)) return [{ rule: 'named-secret', ...span }];
    // Quoted values under other names are data: base64, ids, cursors, checksums.
    const mayBeKey = minEntropy > 0 && (quotes === 0 || keyName.test(name));
    return mayBeKey && isKey(trimmed, minEntropy) ? [{ rule: 'high-entropy', ...span }] : [];
  });
}

/** `password: z.string()` and the start of one that continues on the next line. */
const call = /^[A-Za-z_$][\w$.]*(?:[([{]|\(.*\)[;,]?)$/;

function findOfLines(text: string): NamedValue[] {
  return [...text.matchAll(ofLine)].flatMap(({ 0: found, 1: name = '', 2: value = '', index }): NamedValue[] => {
    if (call.test(value) || !isSecret(name, value.replace(/[()[\]{}]/g, '-'))) return [];
    const end = index + found.length;
    return [{ rule: 'named-secret', start: end - value.length, end, contextStart: index }];
  });
}

const keyName = /(?:key|cred|salt|auth|pat|sig)s?$/i;
const login = /^[\x21-\x39\x3b-\x7e]{1,80}:[\x21-\x7e]{3,200}$/;

/** Returns whether the value is a secret under its name, or in the base64 form of one. */
function isNamedSecret(name: string, value: string): boolean {
  if (isSecretName(name) && isSecret(name, value)) return true;
  if (!encoded.test(value)) return false;
  const plain = decodeBase64(value);
  // Docker's `"auth": "<base64 of user:password>"`, and keys in Kubernetes' secrets.
  return (/^_?auth$/i.test(name) && login.test(plain)) || findProviderKeys(plain).length > 0;
}

const encoded = /^[A-Za-z0-9+/]{8,400}={0,2}$/;
export const decodeBase64 = (text: string): string => Buffer.from(text, 'base64').toString('latin1');

/** Returns whether letters are the base64 form of a text. Those of a word are not: their bytes are not printable. */
const isEncodedText = (value: string): boolean =>
  value.length % 4 === 0 && /[a-z][A-Z]/.test(value) && /^[\x20-\x7e]+$/.test(decodeBase64(value));

export const isPlaceholder = (value: string): boolean => placeholder.test(value);

/** Returns whether the value has a digit, or mixes letters of both cases as no words do. */
export const isRandom = (value: string): boolean =>
  /\d/.test(value) || (value.length >= MIN_MIXED && countChanges(value) >= MIN_MIXED_CHANGES);
const MIN_MIXED = 16;
const MIN_MIXED_CHANGES = 0.38;

/** Returns whether forty characters have the form of AWS's secret keys, not of a hash or a path. */
export const isCloudKey = (value: string): boolean =>
  !isPlaceholder(value) &&
  /[a-z]/.test(value) &&
  /[A-Z]/.test(value) &&
  /[\d+/]/.test(value) &&
  countChanges(value) >= MIN_CLOUD_CHANGES;
const MIN_CLOUD_CHANGES = 0.3;

function isSecret(name: string, value: string): boolean {
  if (placeholder.test(value) || path.test(value)) return false;
  // "password: hunter2", not "password: required": a plain word usually describes the password.
  if (isPasswordName(name)) return value.length >= MIN_PASSWORD && (!plainWord.test(value) || isEncodedText(value));
  return value.length >= MIN_TOKEN && isRandom(value) && !/\s/.test(value) && computeEntropy(value) >= MIN_TOKEN_BITS;
}

/** `call_…`, `resp_…`, `chatcmpl-…`: a word in small letters and a random part are an id of a provider. */
const providerId = /^[a-z]{2,12}(?:[_-][a-z]{1,12}){0,2}[_-][A-Za-z0-9]{10,}$/;
/** A path has several parts, one of them a word. */
const isFilePath = (value: string): boolean =>
  (value.match(/\//g)?.length ?? 0) > 1 && value.split('/').some((part) => /^[A-Za-z]{3,}$/.test(part));

function isKey(value: string, minEntropy: number): boolean {
  if (!key.test(value) || known.test(value) || value.length < MIN_KEY) return false;
  if (providerId.test(value) || isFilePath(value) || isPlaceholder(value)) return false;
  return (
    countKinds(value) >= 3 &&
    (value.match(/\d/g)?.length ?? 0) >= 2 &&
    countChanges(value) >= MIN_CHANGES &&
    computeEntropy(value) >= minEntropy
  );
}

/** Computes Shannon's entropy in bits per character. */
function computeEntropy(value: string): number {
  const counts = new Map<string, number>();
  for (const character of value) counts.set(character, (counts.get(character) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / value.length) * Math.log2(count / value.length);
  return bits;
}

/** Returns the share of places at which the kind of character (small, capital, digit, other) changes. */
function countChanges(value: string): number {
  const kinds = value.split('').map(classifyCharacter);
  const changes = kinds.filter((kind, at) => at > 0 && kind !== kinds[at - 1]).length;
  return changes / Math.max(1, value.length - 1);
}

const countKinds = (value: string): number => new Set(value.split('').map(classifyCharacter)).size;

function classifyCharacter(character: string): string {
  if (/[a-z]/.test(character)) return 'small';
  if (/[A-Z]/.test(character)) return 'capital';
  return /\d/.test(character) ? 'digit' : 'other';
}
