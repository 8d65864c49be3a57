// Asks a model for one JSON object of a given schema, and answers only what fits it.
import { generateText, jsonSchema, NoObjectGeneratedError, Output, type LanguageModel } from 'ai';
import { MillraceError, type JsonObject, type JsonSchema } from '@millrace/contracts';
import { toModelError } from './model-error.ts';
import { assertJsonSchema, findMisfit, isJsonObject } from './json-schema.ts';

export type GenerateObjectRequest = {
  /** `openai/<id>` or `openai-chat/<id>`. */
  model: string;
  schema: JsonSchema;
  system: string;
  prompt: string;
  abortSignal: AbortSignal;
};

type Ask = Omit<GenerateObjectRequest, 'model'> & { model: LanguageModel; modelId: string };

/**
 * 429, 5xx and network errors are tried twice more with Retry-After honoured (what `ai` does by default).
 * @throws model-call-failed: the provider refused or broke the call. extraction-failed: what it answered does not fit.
 * options-invalid: `schema` is not a JSON Schema. The signal's reason, when it fired.
 */
export async function generateObjectWith({ modelId, schema, abortSignal, ...ask }: Ask): Promise<JsonObject> {
  assertJsonSchema(schema);
  const checked = jsonSchema<JsonObject>(schema, { validate: (value) => validate(schema, value) });
  try {
    const { output } = await generateText({
      ...ask,
      abortSignal,
      output: Output.object({ schema: checked }),
      // Strict mode takes only schemas in which every property is required: a patch, where most are left out, cannot be
      // said in it. Answers are checked here anyway. `store`: nobody asks for this answer again by its id.
      providerOptions: { openai: { strictJsonSchema: false, store: false } },
    });
    return output;
  } catch (error) {
    abortSignal.throwIfAborted();
    throw explained(error, modelId);
  }
}

function validate(schema: JsonSchema, value: unknown) {
  const misfit = findMisfit(schema, value);
  if (misfit !== undefined) return { success: false as const, error: new Error(misfit) };
  if (!isJsonObject(value)) return { success: false as const, error: new Error('$ must be object') };
  return { success: true as const, value };
}

function explained(error: unknown, modelId: string): MillraceError {
  if (NoObjectGeneratedError.isInstance(error)) {
    return new MillraceError('extraction-failed', `${modelId} did not answer an object that fits: ${reasonOf(error)}`, {
      remedy: 'Use a model that keeps to a JSON Schema, or a simpler schema.',
      cause: error,
    });
  }
  const { message, statusCode } = toModelError(error);
  const status = statusCode === undefined ? '' : ` (HTTP ${statusCode})`;
  return new MillraceError('model-call-failed', `The call of ${modelId} failed${status}: ${message}`, { cause: error });
}

/** The innermost cause is what the schema said; those around it quote the whole answer, which may hold what users said. */
function reasonOf(error: Error): string {
  const inner = error.cause;
  if (inner instanceof Error && inner.cause instanceof Error) return reasonOf(inner);
  if (inner instanceof SyntaxError || !(inner instanceof Error)) return 'it is not JSON';
  return inner.message;
}
