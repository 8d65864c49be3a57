// Validates a model's answer against the requested JSON Schema. Providers promise to follow a schema, compatible
// servers often do not, and no unvalidated value may reach a memory. A separate entry in the package's exports, so that
// its users need not load the provider's client.
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { MillraceError, type JsonSchema } from '@millrace/contracts';

// By identity: a processor makes its schema once for all runs that have the same options.
const compiled = new WeakMap<JsonSchema, ValidateFunction>();

/** Own properties: `{}` has no member "constructor". */
const AJV_OPTIONS = { strict: false, validateFormats: false, allErrors: false, ownProperties: true } as const;
/** Holds schemas against the dialect's own, which takes far longer to compile than they do: once for all. Nothing is added to it. */
const dialect = new Ajv2020(AJV_OPTIONS);

/** @throws options-invalid when it is no JSON Schema: better before a model is asked, and paid, than after. */
export function assertJsonSchema(schema: JsonSchema): void {
  compileValidator(schema);
}

/**
 * @returns the problem as one line; undefined if `value` is valid. @throws options-invalid if the schema itself is
 * invalid
 */
export function findMisfit(schema: JsonSchema, value: unknown): string | undefined {
  const validate = compileValidator(schema);
  if (validate(value)) return undefined;
  return (validate.errors ?? []).map((error) => `${error.instancePath || '$'} ${error.message}`).join('; ');
}

function compileValidator(schema: JsonSchema): ValidateFunction {
  return compiled.get(schema) ?? compile(schema);
}

function compile(schema: JsonSchema): ValidateFunction {
  // `$schema` names the dialect that the author had in mind; the keywords in use here mean the same in all of them.
  const { $schema: _, ...document } = schema;
  try {
    if (dialect.validateSchema(document) !== true) throw new TypeError(dialect.errorsText());
    // An Ajv of its own for each: one that is shared keeps every schema it has compiled.
    const validate = new Ajv2020({ ...AJV_OPTIONS, validateSchema: false }).compile(document);
    compiled.set(schema, validate);
    return validate;
  } catch (error) {
    throw new MillraceError('options-invalid', `That is not a JSON Schema: ${readMessage(error)}`, {
      remedy: 'Correct the schema; JSON Schema draft 2020-12 is understood.',
      cause: error,
    });
  }
}

function readMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
