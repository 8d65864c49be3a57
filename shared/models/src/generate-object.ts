// Requests one JSON object of a given schema from a model and returns only a valid one.
import { generateText, jsonSchema, NoObjectGeneratedError, Output, type LanguageModel } from 'ai';
import { jsonObjectSchema, MillraceError, type JsonObject, type JsonSchema } from '@millrace/contracts';
import { toModelError } from './model-error.ts';
import { suggestRemedy } from './provider-remedy.ts';
import { assertJsonSchema, findMisfit } from './json-schema.ts';
import { runWithinTime } from './within-time.ts';

/** `data`: base64 */
export type ModelFile = { mediaType: string; data: string };

export type GenerateObjectRequest = {
  /** `openai/<id>` or `openai-chat/<id>`. */
  model: string;
  schema: JsonSchema;
  system: string;
  prompt: string;
  /** Sent after the prompt. Not every model reads them. */
  files?: readonly ModelFile[] | undefined;
  abortSignal: AbortSignal;
  /** Receives the tokens of a call, also of one whose answer does not fit. */
  onUsage?: ((usage: ObjectUsage) => void) | undefined;
};

/** A count is absent if the provider does not report it. */
/** For the check of one answer, which blocks the event loop: a schema of an agent may have slow patterns. */
const MAX_CHECK_MS = 500;

type ObjectUsage = { inputTokens?: number | undefined; outputTokens?: number | undefined };

type GenerateRequest = Omit<GenerateObjectRequest, 'model'> & { model: LanguageModel; modelId: string };

/** 429, 5xx and network errors are retried twice with Retry-After honoured (the default of `ai`). */
export async function generateObjectWith({
  modelId,
  schema,
  abortSignal,
  onUsage,
  prompt,
  files = [],
  ...ask
}: GenerateRequest): Promise<JsonObject> {
  assertJsonSchema(schema);
  const checked = jsonSchema<JsonObject>(schema, { validate: (value) => validate(schema, value) });
  try {
    const { output, usage } = await generateText({
      ...ask,
      messages: [{ role: 'user', content: [{ type: 'text', text: prompt }, ...files.map(toFilePart)] }],
      abortSignal,
      output: Output.object({ schema: checked }),
      // Strict mode accepts only schemas without optional properties: it cannot express a patch, which omits most of
      // them. Answers are validated here anyway. `store`: the answer is never requested again by its id.
      providerOptions: { openai: { strictJsonSchema: false, store: false } },
    });
    onUsage?.(countTokens(usage));
    return output;
  } catch (error) {
    if (NoObjectGeneratedError.isInstance(error) && error.usage) onUsage?.(countTokens(error.usage));
    abortSignal.throwIfAborted();
    throw toMillraceError(error, modelId);
  }
}

/** The model reads an image in its own resolution, at least as exactly as any other model. */
const toFilePart = ({ mediaType, data }: ModelFile) => ({
  type: 'file' as const,
  mediaType,
  data: { type: 'data' as const, data },
  providerOptions: { openai: { imageDetail: 'high' } },
});

const countTokens = ({ inputTokens, outputTokens }: ObjectUsage): ObjectUsage => ({ inputTokens, outputTokens });

function validate(schema: JsonSchema, value: unknown) {
  const checked = runWithinTime(MAX_CHECK_MS, () => ({ misfit: findMisfit(schema, value) }));
  const { misfit } = checked?.value ?? { misfit: `its check takes longer than ${MAX_CHECK_MS} ms` };
  if (misfit !== undefined) return { success: false as const, error: new Error(misfit) };
  const { success, data } = jsonObjectSchema.safeParse(value);
  if (!success) return { success: false as const, error: new Error('$ must be object') };
  return { success: true as const, value: data };
}

function toMillraceError(error: unknown, modelId: string): MillraceError {
  if (NoObjectGeneratedError.isInstance(error)) {
    return new MillraceError(
      'extraction-failed',
      `${modelId} did not answer an object that fits: ${describeReason(error)}`,
      {
        remedy: 'Use a model that keeps to a JSON Schema, or a simpler schema.',
        cause: error,
      },
    );
  }
  const known = toModelError(error);
  const status = known.statusCode === undefined ? '' : ` (HTTP ${known.statusCode})`;
  return new MillraceError('model-call-failed', `The call of ${modelId} failed${status}: ${known.message}`, {
    remedy: suggestRemedy(known),
    cause: error,
  });
}

/** The innermost cause is the schema's message; the outer ones quote the whole answer, which may contain user data. */
function describeReason(error: Error): string {
  const inner = error.cause;
  if (inner instanceof Error && inner.cause instanceof Error) return describeReason(inner);
  if (inner instanceof SyntaxError || !(inner instanceof Error)) return 'it is not JSON';
  return inner.message;
}
