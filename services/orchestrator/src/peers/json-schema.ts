// Checks JSON Schemas of tool arguments and of processors' options with ajv. Validators are cached, because schemas are
// few. Schemas and values are foreign: compilation and checks are bounded in time, patterns are linear if possible.
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { ErrorObject, ValidateFunction } from 'ajv';
import {
  hasAnchor,
  RE2_FORMAT,
  RE2_UNANCHORED_FORMAT,
  suggestName,
  type JsonSchema,
  type JsonValue,
} from '@millrace/contracts';
import { runWithinTime } from '@millrace/models/within-time';
import { RE2JS } from 're2js';

export type SchemaProblem = { path: string; message: string };

/** Schemas are not cached by their $id: two services may use the same one for two documents. */
const AJV_OPTIONS = {
  allErrors: true,
  strict: false,
  validateFormats: false,
  addUsedSchema: false,
  // `{}` has no member "constructor".
  ownProperties: true,
  code: { regExp: compileLinearPattern },
} as const;
/** Unknown formats are ignored. */
const FORMATS = {
  [RE2_FORMAT]: (pattern: string) => compileLinear(pattern) !== undefined,
  [RE2_UNANCHORED_FORMAT]: (pattern: string) => compileLinear(pattern) !== undefined && !hasAnchor(pattern),
};
const createAjv = () =>
  new Ajv2020({
    ...AJV_OPTIONS,
    verbose: true,
    validateFormats: true,
    formats: FORMATS,
    logger: false,
    validateSchema: false,
  });
/** Validates schemas against the dialect's own schema, which takes far longer to compile: once, outside the bound. */
const dialect = new Ajv2020(AJV_OPTIONS);
const DIALECT = 'https://json-schema.org/draft/2020-12/schema';
/** For the compilation of a schema and for one check: ordinary ones take a millisecond, and block the event loop. */
const MAX_CHECK_MS = 500;
/** Maximum number of reported problems of one value. */
const MAX_PROBLEMS = 50;
/** Maximum number of ajv's errors that are read: a long list can have one for each item and branch. */
const MAX_READ = 500;
const MAX_VALIDATORS = 500;
let ajv = createAjv();
/** Time for which a schema that took too long is not read again, ms. Not for ever: the machine may have been busy. */
const REFUSED_MS = 30_000;

/** `until`: time at which a schema that took too long may be retried. */
type RefusedSchema = { problem: string; until: number };
const validators = new Map<string, ValidateFunction | RefusedSchema>();

/**
 * Returns the problems of `value`, with paths such as `.options.limit`; empty if it matches. A broken schema is a
 * problem too.
 */
export function findSchemaProblems(schema: JsonSchema, value: JsonValue): SchemaProblem[] {
  const validate = compileValidator(schema);
  if ('problem' in validate) return [{ path: '', message: `cannot be checked: ${validate.problem}` }];
  const checked = runWithinTime(MAX_CHECK_MS, () => (validate(value) ? [] : describeErrors(validate.errors ?? [])));
  return checked?.value ?? [{ path: '', message: `cannot be checked: it takes longer than ${MAX_CHECK_MS} ms` }];
}

function describeErrors(errors: readonly ErrorObject[]): SchemaProblem[] {
  return joinAlternatives(errors.slice(0, MAX_READ))
    .slice(0, MAX_PROBLEMS)
    .map(({ instancePath, message = 'is wrong', params, parentSchema }) => ({
      path: `${instancePath.replaceAll(/\/(\d+)(?=\/|$)/g, '[$1]').replaceAll('/', '.')}${describeUnknownMember(params)}`,
      message: formatDetail(message, params, Object.keys(parentSchema?.['properties'] ?? {})),
    }));
}

/**
 * Returns the reason for which no validator can be made of the schema; undefined if it is valid.
 * @param maxMs time for the compilation
 */
export function findSchemaProblem(schema: JsonSchema, maxMs: number): string | undefined {
  const compiled = compileValidator(schema, maxMs);
  return 'problem' in compiled ? compiled.problem : undefined;
}

/** A branch that fails only by these asks for a member. */
const ASKING = new Set(['required', 'minItems', 'const', 'not']);

/** Reports an `anyOf` whose branches ask for members as one problem that names the members. */
function joinAlternatives(errors: readonly ErrorObject[]): readonly ErrorObject[] {
  let joined = errors;
  for (const alternatives of errors.filter(({ keyword }) => keyword === 'anyOf')) {
    const { schemaPath, instancePath } = alternatives;
    const inside = new Set(
      errors.filter((one) => one.schemaPath.startsWith(`${schemaPath}/`) && isWithin(one.instancePath, instancePath)),
    );
    const names = [...inside].flatMap((one) =>
      one.keyword === 'required' && one.instancePath === instancePath
        ? [`"${String(one.params['missingProperty'])}"`]
        : [],
    );
    if (names.length === 0 || ![...inside].every(({ keyword }) => ASKING.has(keyword))) continue;
    const whole = { ...alternatives, message: `must have ${[...new Set(names)].join(' or ')}` };
    joined = joined.flatMap((one) => (inside.has(one) ? [] : [one === alternatives ? whole : one]));
  }
  return joined;
}

const isWithin = (path: string, outer: string): boolean => path === outer || path.startsWith(`${outer}/`);

function compileValidator(schema: JsonSchema, maxMs = MAX_CHECK_MS): ValidateFunction | RefusedSchema {
  const key = JSON.stringify(schema);
  const known = validators.get(key);
  if (known && !('until' in known && known.until <= performance.now())) return known;
  if (validators.size >= MAX_VALIDATORS) {
    // ajv caches compiled schemas too: only a new instance forgets them.
    validators.clear();
    ajv = createAjv();
  }
  const made = compile(schema, maxMs);
  validators.set(key, made);
  return made;
}

function compile({ $schema: _, ...schema }: JsonSchema, maxMs: number): ValidateFunction | RefusedSchema {
  let isFresh = true;
  // Compiled the first time, outside the bound.
  dialect.getSchema(DIALECT);
  const readProblems = () => {
    // An interrupted instance is discarded.
    if (!isFresh) ajv = createAjv();
    isFresh = false;
    if (dialect.validateSchema(schema) !== true) throw new TypeError(dialect.errorsText());
    return ajv.compile(schema);
  };
  try {
    const compiled = runWithinTime(maxMs, readProblems);
    if (compiled) return compiled.value;
    ajv = createAjv();
    return { problem: `it takes longer than ${maxMs} ms to read`, until: performance.now() + REFUSED_MS };
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error), until: Infinity };
  }
}

/** Returns the path of an unknown member within its object; empty for every other problem. */
function describeUnknownMember({ additionalProperty: name }: Record<string, unknown>): string {
  return typeof name === 'string' && /^\w+$/.test(name) ? `.${name}` : '';
}

/** ajv puts the specific part of its message into `params`. */
function formatDetail(message: string, params: Record<string, unknown>, names: readonly string[]): string {
  if ('additionalProperty' in params) {
    const name = String(params['additionalProperty']);
    return suggestName(`has no option "${name}"`, name, names);
  }
  if ('allowedValues' in params) return `${message}: ${JSON.stringify(params['allowedValues'])}`;
  return message;
}

/** Matches patterns of foreign JSON Schemas in linear time (RE2), so that no pattern and no text can block the process. Patterns that RE2 lacks (look-around, back-references: generated schemas have them) are matched by JavaScript, within the time limit of every check. */
type LinearPattern = { test(text: string): boolean; toString(): string };

function compileLinearPattern(pattern: string, flags: string): LinearPattern {
  const compiled = compileLinear(pattern);
  // ajv distinguishes patterns by their text.
  return compiled
    ? { test: (text) => compiled.test(text), toString: () => `/${pattern}/${flags}` }
    : new RegExp(pattern, flags);
}

/** ajv writes this into code that is generated for other processes; none is generated here. */
compileLinearPattern.code = 'linearPattern';

function compileLinear(pattern: string): RE2JS | undefined {
  try {
    return RE2JS.compile(pattern);
  } catch {
    return undefined;
  }
}
