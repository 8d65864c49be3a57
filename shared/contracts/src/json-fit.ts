// Whether a value that came out of JSON.parse fits a schema as it is. The messages that come by the thousand are asked this before zod
// is, which makes a copy of everything that it lets through. Made of the schema itself, so that the two cannot drift: what is not certain
// here is left to zod, and so is every refusal, since zod tells what is wrong.
import type { z } from 'zod';
import { checkOf } from './json-fit-checks.ts';

/** `as-is`: zod would give back an equal value. `no`: zod would refuse it. `ask`: only zod knows. */
type Fit = 'as-is' | 'no' | 'ask';
type Look = (value: unknown) => Fit;
type Schema = z.core.$ZodType;
type Members = Record<string, unknown>;

const quick = new WeakSet<Schema>();
const looks = new WeakMap<Schema, Look>();
const shortcuts = new WeakMap<Schema, (value: unknown) => boolean>();

/** Marks a schema of messages that come often. Members of theirs then come in the order in which they were sent, not in the schema's. */
export function quicklyRead<S extends Schema>(schema: S): S {
  quick.add(schema);
  return schema;
}

/**
 * Adds a shortcut for values that fit at a glance.
 * @param fits must hold for no value that the schema refuses or changes: a test compares them
 */
export function withShortcut<S extends Schema>(schema: S, fits: (value: unknown) => boolean): S {
  shortcuts.set(schema, fits);
  return schema;
}

/** @param value out of JSON.parse: no getters, no undefined, no classes, no member `__proto__` */
export function fitsAsIs(schema: Schema, value: unknown): boolean {
  return quick.has(schema) && fitOf(schema, value) === 'as-is';
}

/** The same for any schema. */
export function fitOf(schema: Schema, value: unknown): Fit {
  return lookOf(schema)(value);
}

function lookOf(schema: Schema): Look {
  const known = looks.get(schema);
  if (known) return known;
  const whole = withChecks(schema);
  const fits = shortcuts.get(schema);
  const look: Look = fits ? (value) => (fits(value) ? 'as-is' : whole(value)) : whole;
  looks.set(schema, look);
  return look;
}

const unsure: Look = () => 'ask';
const when =
  (fits: (value: unknown) => boolean): Look =>
  (value) =>
    fits(value) ? 'as-is' : 'no';

function defOf(schema: Schema): z.core.$ZodTypes['_zod']['def'] {
  // oxlint-disable-next-line no-underscore-dangle, typescript/no-unsafe-type-assertion -- zod's name for what it shows those who build on it
  return (schema as z.core.$ZodTypes)._zod.def;
}

function withChecks(schema: Schema): Look {
  const def = defOf(schema);
  const look = lookOfType(def);
  if (look === unsure || !def.checks || def.checks.length === 0) return look;
  const checks = def.checks.map(checkOf);
  if (checks.includes(undefined)) return unsure;
  return (value) => {
    const fit = look(value);
    return fit === 'as-is' && !checks.every((check) => check?.(value)) ? 'no' : fit;
  };
}

function lookOfType(def: ReturnType<typeof defOf>): Look {
  // A format of its own (an address, a date), or what makes another type of it.
  if ('format' in def || 'coerce' in def || 'unionFallback' in def) return unsure;
  switch (def.type) {
    case 'string':
      return when((value) => typeof value === 'string');
    case 'number':
      return when(Number.isFinite);
    case 'boolean':
      return when((value) => typeof value === 'boolean');
    case 'null':
      return when((value) => value === null);
    case 'any':
    case 'unknown':
      return () => 'as-is';
    case 'never':
      return () => 'no';
    case 'literal':
      return oneOf(def.values);
    case 'enum':
      return oneOf(Object.values(def.entries));
    case 'custom':
      return when((value) => Boolean(def.fn(value)));
    case 'optional':
    case 'default':
      // What is missing never gets here: an object looks after that.
      return lookOf(def.innerType);
    case 'nullable': {
      const inner = lookOf(def.innerType);
      return (value) => (value === null ? 'as-is' : inner(value));
    }
    case 'array':
      return eachOf(lookOf(def.element));
    case 'object':
      return membersOf(def);
    case 'record':
      return recordOf(def);
    case 'union':
      if ('discriminator' in def && typeof def.discriminator === 'string')
        return chosenBy(def.discriminator, def.options);
      // Of which one has to fit and no other.
      return def.inclusive === false ? unsure : firstOf(def.options.map(lookOf));
    default:
      return unsure;
  }
}

function oneOf(values: readonly unknown[]): Look {
  const known = new Set(values);
  return when((value) => known.has(value));
}

function eachOf(element: Look): Look {
  return (value) => {
    if (!Array.isArray(value)) return 'no';
    let fit: Fit = 'as-is';
    for (const one of value) {
      const its = element(one);
      if (its === 'no') return 'no';
      if (its === 'ask') fit = 'ask';
    }
    return fit;
  };
}

const isObject = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

type Member = { look: Look; missing: Fit };

/** What zod says of an object in which there is no such member. */
function missingFit(schema: Schema): Fit {
  // oxlint-disable-next-line no-underscore-dangle -- zod's name for what it shows those who build on it
  const { optin, optout } = schema._zod;
  if (optin === undefined) return 'no';
  return optin === 'optional' && optout === 'optional' ? 'as-is' : 'ask';
}

function membersOf({ shape, catchall }: z.core.$ZodObjectDef): Look {
  const members = new Map<string, Member>();
  for (const [name, schema] of Object.entries(shape))
    members.set(name, { look: lookOf(schema), missing: missingFit(schema) });
  const needed = [...members].filter(([, { missing }]) => missing !== 'as-is');
  // Without one, what is not known is dropped, and the value is another one then.
  const other = catchall ? lookOf(catchall) : unsure;
  return (value) => {
    if (!isObject(value)) return 'no';
    let fit: Fit = 'as-is';
    let there = 0;
    for (const name in value) {
      const member = members.get(name);
      const its = member ? member.look(value[name]) : other(value[name]);
      if (its === 'no') return 'no';
      if (its === 'ask') fit = 'ask';
      if (member && member.missing !== 'as-is') there += 1;
    }
    if (there === needed.length) return fit;
    return needed.some(([name, { missing }]) => missing === 'no' && !Object.hasOwn(value, name)) ? 'no' : 'ask';
  };
}

function recordOf({ keyType, valueType }: z.core.$ZodRecordDef): Look {
  // Names that must all be there are zod's affair.
  if (defOf(keyType).type !== 'string') return unsure;
  const key = lookOf(keyType);
  const member = lookOf(valueType);
  return (value) => {
    if (!isObject(value)) return 'no';
    let fit: Fit = 'as-is';
    for (const name in value) {
      if (key(name) !== 'as-is') return 'ask';
      const its = member(value[name]);
      if (its === 'no') return 'no';
      if (its === 'ask') fit = 'ask';
    }
    return fit;
  };
}

/** The first that does not refuse decides, as with zod: one before it that would take another form of the value comes first there too. */
function firstOf(options: readonly Look[]): Look {
  return (value) => {
    for (const option of options) {
      const fit = option(value);
      if (fit !== 'no') return fit;
    }
    return 'no';
  };
}

function chosenBy(discriminator: string, options: readonly Schema[]): Look {
  const byValue = new Map<unknown, Look>();
  for (const option of options) {
    const def = defOf(option);
    const named = def.type === 'object' ? def.shape[discriminator] : undefined;
    const literal = named && defOf(named);
    if (literal?.type !== 'literal') return unsure;
    for (const value of literal.values) byValue.set(value, lookOf(option));
  }
  return (value) => (isObject(value) ? (byValue.get(value[discriminator])?.(value) ?? 'no') : 'no');
}
