// Checks whether a value of JSON.parse fits a schema unchanged. Frequent messages take this path before zod, because
// zod copies every value that it accepts. The checks are compiled from the schema itself, so the two cannot diverge:
// uncertain values and rejections are left to zod, which reports the problems.
import { isObject } from './json.ts';
import type { z } from 'zod';
import { compileCheck } from './json-fit-checks.ts';

/** `as-is`: zod would return an equal value. `no`: zod would reject it. `ask`: only zod can decide. */
type Fit = 'as-is' | 'no' | 'ask';
type FitCheck = (value: unknown) => Fit;
type Schema = z.core.$ZodType;

const quick = new WeakSet<Schema>();
const looks = new WeakMap<Schema, FitCheck>();
const shortcuts = new WeakMap<Schema, (value: unknown) => boolean>();

/** Marks a schema of frequent messages. Their members keep the order of the sender instead of the schema's. */
export function markFrequent<S extends Schema>(schema: S): S {
  quick.add(schema);
  return schema;
}

/**
 * Adds a shortcut for values that fit at a glance.
 * @param fits must not accept a value that the schema rejects or changes: a test compares them
 */
export function withShortcut<S extends Schema>(schema: S, fits: (value: unknown) => boolean): S {
  shortcuts.set(schema, fits);
  return schema;
}

/** @param value a result of JSON.parse: no getters, undefined, class instances or member `__proto__` */
export function fitsAsIs(schema: Schema, value: unknown): boolean {
  return quick.has(schema) && checkFit(schema, value) === 'as-is';
}

/** Checks a value against any schema. */
export function checkFit(schema: Schema, value: unknown): Fit {
  return compileSchema(schema)(value);
}

function compileSchema(schema: Schema): FitCheck {
  const known = looks.get(schema);
  if (known) return known;
  const whole = compileWithChecks(schema);
  const fits = shortcuts.get(schema);
  const runCheck: FitCheck = fits ? (value) => (fits(value) ? 'as-is' : whole(value)) : whole;
  looks.set(schema, runCheck);
  return runCheck;
}

const askAlways: FitCheck = () => 'ask';
const fitIf =
  (fits: (value: unknown) => boolean): FitCheck =>
  (value) =>
    fits(value) ? 'as-is' : 'no';

function readDefinition(schema: Schema): z.core.$ZodTypes['_zod']['def'] {
  // oxlint-disable-next-line no-underscore-dangle, typescript/no-unsafe-type-assertion -- zod exposes its internals under this name
  return (schema as z.core.$ZodTypes)._zod.def;
}

function compileWithChecks(schema: Schema): FitCheck {
  const def = readDefinition(schema);
  const runCheck = compileType(def);
  if (runCheck === askAlways || !def.checks || def.checks.length === 0) return runCheck;
  const checks = def.checks.map(compileCheck);
  if (checks.includes(undefined)) return askAlways;
  return (value) => {
    const fit = runCheck(value);
    return fit === 'as-is' && !checks.every((check) => check?.(value)) ? 'no' : fit;
  };
}

function compileType(def: ReturnType<typeof readDefinition>): FitCheck {
  // String formats (an address, a date) and coercions are left to zod.
  if ('format' in def || 'coerce' in def || 'unionFallback' in def) return askAlways;
  switch (def.type) {
    case 'string':
      return fitIf((value) => typeof value === 'string');
    case 'number':
      return fitIf(Number.isFinite);
    case 'boolean':
      return fitIf((value) => typeof value === 'boolean');
    case 'null':
      return fitIf((value) => value === null);
    case 'any':
    case 'unknown':
      return () => 'as-is';
    case 'never':
      return () => 'no';
    case 'literal':
      return matchValues(def.values);
    case 'enum':
      return matchValues(Object.values(def.entries));
    case 'custom':
      return fitIf((value) => Boolean(def.fn(value)));
    case 'optional':
    case 'default':
      // The object's check handles a missing member before this one.
      return compileSchema(def.innerType);
    case 'nullable': {
      const inner = compileSchema(def.innerType);
      return (value) => (value === null ? 'as-is' : inner(value));
    }
    case 'array':
      return matchElements(compileSchema(def.element));
    case 'object':
      return matchObject(def);
    case 'record':
      return matchRecord(def);
    case 'union':
      if ('discriminator' in def && typeof def.discriminator === 'string')
        return matchDiscriminated(def.discriminator, def.options);
      // Exactly one option must fit.
      return def.inclusive === false ? askAlways : matchFirst(def.options.map(compileSchema));
    default:
      return askAlways;
  }
}

function matchValues(values: readonly unknown[]): FitCheck {
  const known = new Set(values);
  return fitIf((value) => known.has(value));
}

function matchElements(element: FitCheck): FitCheck {
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

type Member = { runCheck: FitCheck; missing: Fit };

/** Returns zod's decision for an object without the member. */
function fitAbsent(schema: Schema): Fit {
  // oxlint-disable-next-line no-underscore-dangle -- zod exposes its internals under this name
  const { optin, optout } = schema._zod;
  if (optin === undefined) return 'no';
  return optin === 'optional' && optout === 'optional' ? 'as-is' : 'ask';
}

function matchObject({ shape, catchall }: z.core.$ZodObjectDef): FitCheck {
  const members = new Map<string, Member>();
  for (const [name, schema] of Object.entries(shape))
    members.set(name, { runCheck: compileSchema(schema), missing: fitAbsent(schema) });
  const needed = [...members].filter(([, { missing }]) => missing !== 'as-is');
  // Without a catchall zod drops unknown members, which changes the value.
  const other = catchall ? compileSchema(catchall) : askAlways;
  return (value) => {
    if (!isObject(value)) return 'no';
    let fit: Fit = 'as-is';
    let there = 0;
    for (const name in value) {
      const member = members.get(name);
      const its = member ? member.runCheck(value[name]) : other(value[name]);
      if (its === 'no') return 'no';
      if (its === 'ask') fit = 'ask';
      if (member && member.missing !== 'as-is') there += 1;
    }
    if (there === needed.length) return fit;
    return needed.some(([name, { missing }]) => missing === 'no' && !Object.hasOwn(value, name)) ? 'no' : 'ask';
  };
}

function matchRecord({ keyType, valueType }: z.core.$ZodRecordDef): FitCheck {
  // Records with required names are left to zod.
  if (readDefinition(keyType).type !== 'string') return askAlways;
  const key = compileSchema(keyType);
  const member = compileSchema(valueType);
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

/** Uses the first option that does not reject, in zod's order. */
function matchFirst(options: readonly FitCheck[]): FitCheck {
  return (value) => {
    for (const option of options) {
      const fit = option(value);
      if (fit !== 'no') return fit;
    }
    return 'no';
  };
}

function matchDiscriminated(discriminator: string, options: readonly Schema[]): FitCheck {
  const byValue = new Map<unknown, FitCheck>();
  for (const option of options) {
    const def = readDefinition(option);
    const named = def.type === 'object' ? def.shape[discriminator] : undefined;
    const literal = named && readDefinition(named);
    if (literal?.type !== 'literal') return askAlways;
    for (const value of literal.values) byValue.set(value, compileSchema(option));
  }
  return (value) => (isObject(value) ? (byValue.get(value[discriminator])?.(value) ?? 'no') : 'no');
}
