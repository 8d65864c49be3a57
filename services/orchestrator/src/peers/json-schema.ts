// JSON Schema checks, by ajv: of tool arguments and of processors' options. Validators are kept, as schemas are few.
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { ValidateFunction } from 'ajv';
import type { JsonSchema, JsonValue } from '@millrace/contracts';

export type SchemaProblem = { path: string; message: string };

/** Schemas are not kept by their $id: two services may use the same one for two documents. */
const createAjv = () => new Ajv2020({ allErrors: true, strict: false, validateFormats: false, addUsedSchema: false });
const MAX_VALIDATORS = 500;
let ajv = createAjv();
const validators = new Map<string, ValidateFunction | string>();

/** What is wrong with `value`, with paths such as `.options.limit`; empty when nothing is. A broken schema is a problem too. */
export function schemaProblems(schema: JsonSchema, value: JsonValue): SchemaProblem[] {
  const validate = validatorOf(schema);
  if (typeof validate === 'string') return [{ path: '', message: `cannot be checked: ${validate}` }];
  if (validate(value)) return [];
  return (validate.errors ?? []).map(({ instancePath, message = 'is wrong', params }) => ({
    path: instancePath.replaceAll(/\/(\d+)(?=\/|$)/g, '[$1]').replaceAll('/', '.'),
    message: detail(message, params),
  }));
}

function validatorOf(schema: JsonSchema): ValidateFunction | string {
  const key = JSON.stringify(schema);
  const known = validators.get(key);
  if (known) return known;
  if (validators.size >= MAX_VALIDATORS) {
    // ajv keeps what it has compiled too: only a new one forgets.
    validators.clear();
    ajv = createAjv();
  }
  const made = compile(schema);
  validators.set(key, made);
  return made;
}

function compile({ $schema: _, ...schema }: JsonSchema): ValidateFunction | string {
  try {
    return ajv.compile(schema);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** ajv keeps the interesting half of its message in `params`. */
function detail(message: string, params: Record<string, unknown>): string {
  if ('additionalProperty' in params) return `has no option "${String(params['additionalProperty'])}"`;
  if ('allowedValues' in params) return `${message}: ${JSON.stringify(params['allowedValues'])}`;
  return message;
}
