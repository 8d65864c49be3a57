// Values under a name: what a name calls a secret, where it is no placeholder; and under any name what looks like a key.
import type { Span } from '../text/span.ts';
import { changesOf, entropyOf, kindsIn } from './entropy.ts';
import { isPasswordName, isSecretName, SIGN } from './secret-names.ts';

/** Quoted, or up to what ends a value: a comma does before a space and before the next name. */
const VALUE = String.raw`(?:"([^"\n]{4,200})"|'([^'\n]{4,200})'|\x60([^\x60\n]{4,200})\x60|((?:[^\s"'\x60,;<>(){}[\]]|[,;](?=\S)(?!\w{1,40}[=:])){4,250}))`;
const assigned = new RegExp(
  String.raw`([\p{L}\w$.-]{2,64}(?: (?:key|token|secret|string|url))?)${SIGN}${VALUE}`,
  'giu',
);
const flag = new RegExp(String.raw`(?<![\w-])--?([a-z][\w-]{2,40})[ =]${VALUE}`, 'giu');

/** What is written where a secret would be. */
const placeholder =
  /^(?:.{0,3}|(.)\1*|[*•x.…_-]+|(?:your|my|the|some|this|that|a|an|not|no|an?y)\b.*|(?:your|my|example|sample|dummy|test|placeholder|change)[-_ ]?\w*|<.*>|\$\{?.*|%.*%|\{\{?.*|\[.*\]|(?:process\.env|os\.environ|env|config|settings|self|this|props|options|args|req|ctx|secrets|vault|params|input|data)[.[(].*|null|none|undefined|nil|true|false|string|boolean|number|required|optional|secret|token|password|passwd|pwd|key|redacted|hidden|empty|unset|missing|wrong|incorrect|invalid|expired|valid|correct|strong|weak|safe|ok|str|text|type|REDACTED.*|[A-Z]+(?:_[A-Z]+)+|\w+\(.*|\w*(?:\.\w+){2,}.*)$/i;
const plainWord = /^[\p{L}]+$/u;
const path = /^(?:\.{0,2}\/|[A-Z]:\\|https?:\/\/[^@\s]*$)/i;

/** A key has so many characters, of at least three kinds that change often. */
const MIN_KEY = 24;
const MIN_CHANGES = 0.25;
const MIN_TOKEN = 12;
const MIN_TOKEN_BITS = 2.8;
const MIN_PASSWORD = 6;
const key = /^[A-Za-z0-9+/_-]{24,250}={0,2}$/;
/** Checksums and pictures in text. */
const known = /^(?:sha\d{1,3}-|data:|h1:)/i;

export type NamedValue = Span & { rule: 'named-secret' | 'high-entropy'; contextStart: number };

/** @param text the view of a segment @param minEntropy bits a character; 0: only what a name calls a secret */
export function namedValues(text: string, minEntropy: number): NamedValue[] {
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
  // "password: hunter2", not "password: required"; a word alone is rather said about it than it.
  if (isPasswordName(name)) return value.length >= MIN_PASSWORD && !plainWord.test(value);
  return value.length >= MIN_TOKEN && /\d/.test(value) && !/\s/.test(value) && entropyOf(value) >= MIN_TOKEN_BITS;
}

function isKey(value: string, minEntropy: number): boolean {
  if (!key.test(value) || known.test(value) || value.length < MIN_KEY) return false;
  return (
    kindsIn(value) >= 3 &&
    (value.match(/\d/g)?.length ?? 0) >= 2 &&
    changesOf(value) >= MIN_CHANGES &&
    entropyOf(value) >= minEntropy
  );
}
