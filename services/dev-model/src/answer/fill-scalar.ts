// Strings, numbers and booleans for a JSON Schema: from words that are known, or the emptiest that fits.
import type { JsonObject } from '../json.ts';

/** All the words together where the schema takes that, else the last that it takes, or undefined. */
export function knownScalar(schema: JsonObject, words: readonly string[]): unknown {
  if (words.length > 1 && schema['type'] === 'string') {
    const areSentences = words.every((word) => /[.!?]$/.test(word));
    const together = scalarFrom(schema, words.join(areSentences ? ' ' : ', '));
    if (together !== undefined) return together;
  }
  return words.map((word) => scalarFrom(schema, word)).findLast((value) => value !== undefined);
}

function scalarFrom(schema: JsonObject, word: string): unknown {
  if (Array.isArray(schema['enum'])) {
    return schema['enum'].find((member: unknown) => String(member).toLowerCase() === word.toLowerCase());
  }
  switch (schema['type']) {
    case 'string':
      return fitsString(schema, word) ? word : undefined;
    case 'integer':
    case 'number':
      return numberFrom(schema, word);
    case 'boolean':
      if (/^(?:yes|true)$/i.test(word)) return true;
      return /^(?:no|false)$/i.test(word) ? false : undefined;
    default:
      return undefined;
  }
}

function numberFrom(schema: JsonObject, word: string): number | undefined {
  const digits = /-?\d+(?:\.\d+)?/.exec(word)?.[0];
  if (digits === undefined) return undefined;
  const value = Number(digits);
  if (schema['type'] === 'integer' && !Number.isInteger(value)) return undefined;
  return value === withinBounds(schema, value) ? value : undefined;
}

const fitsString = (schema: JsonObject, text: string): boolean =>
  text.length >= numberOf(schema['minLength'], 0) &&
  text.length <= numberOf(schema['maxLength'], Infinity) &&
  matchesPattern(schema['pattern'], text) &&
  matchesPattern(formats.get(String(schema['format']))?.pattern, text);

/** Shapes of the formats that OpenAI's structured outputs support, each with a value that is plainly a placeholder. */
const formats = new Map<string, { readonly pattern: string; readonly placeholder: string }>([
  ['date-time', { pattern: String.raw`^\d{4}-\d\d-\d\dT\d\d:\d\d`, placeholder: '1970-01-01T00:00:00Z' }],
  ['date', { pattern: String.raw`^\d{4}-\d\d-\d\d$`, placeholder: '1970-01-01' }],
  ['time', { pattern: String.raw`^\d\d:\d\d`, placeholder: '00:00:00Z' }],
  ['duration', { pattern: '^P', placeholder: 'PT0S' }],
  ['email', { pattern: String.raw`^[^\s@]+@[^\s@]+\.[^\s@]+$`, placeholder: 'unknown@example.invalid' }],
  ['hostname', { pattern: String.raw`^[\w.-]+$`, placeholder: 'example.invalid' }],
  ['ipv4', { pattern: String.raw`^[\d.]+$`, placeholder: '0.0.0.0' }],
  ['ipv6', { pattern: '^[0-9a-fA-F:]+$', placeholder: '::' }],
  ['uuid', { pattern: '^[0-9a-fA-F-]{36}$', placeholder: '00000000-0000-0000-0000-000000000000' }],
  ['uri', { pattern: String.raw`^\w+:`, placeholder: 'about:blank' }],
]);

/** What to put where the schema wants a value and none is known. */
export function emptiestScalar(schema: JsonObject): unknown {
  if (Array.isArray(schema['enum'])) return schema['enum'].includes(null) ? null : schema['enum'][0];
  switch (schema['type']) {
    case 'integer':
    case 'number':
      return withinBounds(schema, 0);
    case 'boolean':
      return false;
    case 'string':
      return emptiestString(schema);
    default:
      return null;
  }
}

function emptiestString(schema: JsonObject): string {
  const least = numberOf(schema['minLength'], 0);
  const format = formats.get(String(schema['format']));
  if (format !== undefined) return format.placeholder;
  // A pattern cannot be solved here; the commonest kinds are met by one of these, and the caller checks.
  const guesses = ['', 'unknown', 'a', 'A', '0', '1', 'a1', 'A1', '00', '000', '0000', '1970-01-01'];
  return guesses.find((guess) => fitsString(schema, guess)) ?? '-'.repeat(least);
}

/** The number nearest to the given one that the bounds and the step allow. */
function withinBounds(schema: JsonObject, value: number): number {
  const step = numberOf(schema['multipleOf'], schema['type'] === 'integer' ? 1 : 0);
  const unit = step || 1;
  const least = Math.max(
    numberOf(schema['minimum'], -Infinity),
    numberOf(schema['exclusiveMinimum'], -Infinity) + unit,
  );
  const most = Math.min(numberOf(schema['maximum'], Infinity), numberOf(schema['exclusiveMaximum'], Infinity) - unit);
  const bounded = Math.min(Math.max(value, least), most);
  return step > 0 ? Math.ceil(bounded / step) * step : bounded;
}

const numberOf = (value: unknown, otherwise: number): number => (typeof value === 'number' ? value : otherwise);

function matchesPattern(pattern: unknown, text: string): boolean {
  if (typeof pattern !== 'string') return true;
  try {
    return new RegExp(pattern, 'u').test(text);
  } catch {
    return false;
  }
}
