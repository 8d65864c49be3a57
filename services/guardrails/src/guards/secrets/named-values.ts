// Finds values by their names: under a secret's name any value except placeholders, and under other names values with
// the form of a key.
import type { TextSpan } from '../../text/span.ts';
import { isPasswordName, isSecretName, SIGN } from './secret-names.ts';

/** Quoted, or up to the end of the value; a comma ends it before a space and before the next name. */
const VALUE = String.raw`(?:"([^"\n]{4,200})"|'([^'\n]{4,200})'|\x60([^\x60\n]{4,200})\x60|((?:[^\s"'\x60,;<>(){}[\]]|[,;](?=\S)(?!\w{1,40}[=:])){4,250}))`;
const assigned = new RegExp(
  String.raw`([\p{L}\w$.-]{2,64}(?: (?:key|token|secret|string|url))?)${SIGN}${VALUE}`,
  'giu',
);
const flag = new RegExp(String.raw`(?<![\w-])--?([a-z][\w-]{2,40})[ =]${VALUE}`, 'giu');

/** Placeholders that documentation shows instead of a secret. */
const placeholder =
  /^(?:.{0,3}|(.)\1*|[*•x.…_-]+|(?:your|my|the|some|this|that|a|an|not|no|an?y)\b.*|(?:your|my|example|sample|dummy|test|placeholder|change)[-_ ]?\w*|<.*>|\$\{?.*|%.*%|\{\{?.*|\[.*\]|(?:process\.env|os\.environ|env|config|settings|self|this|props|options|args|req|ctx|secrets|vault|params|input|data)[.[(].*|null|none|undefined|nil|true|false|string|boolean|number|required|optional|secret|token|password|passwd|pwd|key|redacted|hidden|empty|unset|missing|wrong|incorrect|invalid|expired|valid|correct|strong|weak|safe|ok|str|text|type|REDACTED.*|[A-Z]+(?:_[A-Z]+)+|\w+\(.*|\w*(?:\.\w+){2,}.*)$/i;
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

/** @param text the view of a segment @param minEntropy bits per character; 0: only values under a secret's name */
export function findNamedValues(text: string, minEntropy: number): NamedValue[] {
  return [...text.matchAll(assigned), ...text.matchAll(flag)].flatMap((match): NamedValue[] => {
    const value = match.slice(2).find((group) => group !== undefined) ?? '';
    const quotes = match[5] === undefined ? 1 : 0;
    const end = match.index + match[0].length - quotes;
    const trimmed = quotes === 1 ? value : value.replace(/[.:!?]+$/, '');
    const span = { start: end - value.length, end: end - value.length + trimmed.length, contextStart: match.index };
    // A call: `password: z.string()`.
    if (quotes === 0 && text.charAt(end) === '(') return [];
    if (isSecretName(match[1] ?? '') && isSecret(match[1] ?? '', trimmed)) return [{ rule: 'named-secret', ...span }];
    return minEntropy > 0 && isKey(trimmed, minEntropy) ? [{ rule: 'high-entropy', ...span }] : [];
  });
}

function isSecret(name: string, value: string): boolean {
  if (placeholder.test(value) || path.test(value)) return false;
  // "password: hunter2", not "password: required": a plain word usually describes the password.
  if (isPasswordName(name)) return value.length >= MIN_PASSWORD && !plainWord.test(value);
  return value.length >= MIN_TOKEN && /\d/.test(value) && !/\s/.test(value) && computeEntropy(value) >= MIN_TOKEN_BITS;
}

function isKey(value: string, minEntropy: number): boolean {
  if (!key.test(value) || known.test(value) || value.length < MIN_KEY) return false;
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
