// JSON Schema checks, by ajv: of tool arguments and of processors' options. Validators are kept, as schemas are few. Schemas and values
// are others': compiling and checking are bounded in time, patterns are linear where they can be.
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { ValidateFunction } from 'ajv';
import type { JsonSchema, JsonValue } from '@millrace/contracts';
import { linearPattern } from './linear-pattern.ts';
import { withinTime } from './within-time.ts';

export type SchemaProblem = { path: string; message: string };

/** Schemas are not kept by their $id: two services may use the same one for two documents. */
const AJV_OPTIONS = {
  allErrors: true,
  strict: false,
  validateFormats: false,
  addUsedSchema: false,
  // `{}` has no member "constructor".
  ownProperties: true,
  code: { regExp: linearPattern },
} as const;
const createAjv = () => new Ajv2020({ ...AJV_OPTIONS, validateSchema: false });
/** Holds schemas against the dialect's own. That one is ours, and takes far longer to compile than they do: once, outside the bound. */
const dialect = new Ajv2020(AJV_OPTIONS);
const DIALECT = 'https://json-schema.org/draft/2020-12/schema';
/** For compiling a schema, and for checking one value: ordinary ones take a millisecond, and nothing else runs meanwhile. */
const MAX_CHECK_MS = 500;
/** Problems of one value that are told. */
const MAX_PROBLEMS = 50;
const MAX_VALIDATORS = 500;
let ajv = createAjv();
/** For so long a schema that took too long is not read again, ms. It must not be refused for ever: the machine may have been busy. */
const REFUSED_MS = 30_000;

/** `until`: of a schema that took too long; when it may be tried again. */
type Refused = { problem: string; until: number };
const validators = new Map<string, ValidateFunction | Refused>();

/** What is wrong with `value`, with paths such as `.options.limit`; empty when nothing is. A broken schema is a problem too. */
export function schemaProblems(schema: JsonSchema, value: JsonValue): SchemaProblem[] {
  const validate = validatorOf(schema);
  if ('problem' in validate) return [{ path: '', message: `cannot be checked: ${validate.problem}` }];
  const checked = withinTime(MAX_CHECK_MS, () => validate(value));
  if (!checked) return [{ path: '', message: `cannot be checked: it takes longer than ${MAX_CHECK_MS} ms` }];
  if (checked.value) return [];
  return (validate.errors ?? []).slice(0, MAX_PROBLEMS).map(({ instancePath, message = 'is wrong', params }) => ({
    path: instancePath.replaceAll(/\/(\d+)(?=\/|$)/g, '[$1]').replaceAll('/', '.'),
    message: detail(message, params),
  }));
}

function validatorOf(schema: JsonSchema): ValidateFunction | Refused {
  const key = JSON.stringify(schema);
  const known = validators.get(key);
  if (known && !('until' in known && known.until <= performance.now())) return known;
  if (validators.size >= MAX_VALIDATORS) {
    // ajv keeps what it has compiled too: only a new one forgets.
    validators.clear();
    ajv = createAjv();
  }
  const made = compile(schema);
  validators.set(key, made);
  return made;
}

function compile({ $schema: _, ...schema }: JsonSchema): ValidateFunction | Refused {
  let isFresh = true;
  // Compiled the first time: not within the bound.
  dialect.getSchema(DIALECT);
  const read = () => {
    // What was interrupted in the middle of its work is not used again.
    if (!isFresh) ajv = createAjv();
    isFresh = false;
    if (dialect.validateSchema(schema) !== true) throw new TypeError(dialect.errorsText());
    return ajv.compile(schema);
  };
  try {
    const compiled = withinTime(MAX_CHECK_MS, read);
    if (compiled) return compiled.value;
    ajv = createAjv();
    return { problem: `it takes longer than ${MAX_CHECK_MS} ms to read`, until: performance.now() + REFUSED_MS };
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error), until: Infinity };
  }
}

/** ajv keeps the interesting half of its message in `params`. */
function detail(message: string, params: Record<string, unknown>): string {
  if ('additionalProperty' in params) return `has no option "${String(params['additionalProperty'])}"`;
  if ('allowedValues' in params) return `${message}: ${JSON.stringify(params['allowedValues'])}`;
  return message;
}
