// Defines the wire form of model data: ids, settings, usage, tool definitions, step results. Prompts keep the form of
// the installed provider specification (LanguageModelV4 of @ai-sdk/provider 4) and name its version.
import { z } from 'zod';
import { nameText } from '../base/json-text.ts';
import { isNestedDeeper, jsonObjectSchema, jsonSchemaSchema, jsonTextSchema, jsonValueSchema } from '../base/json.ts';
import { tokenSchema } from '../base/tokens.ts';

/** Maximum length of the id of a model, in UTF-16 code units. */
const MAX_MODEL_ID = 256;
/** `<provider>/<id>`: the name of a provider, and the id that this provider gives the model. */
export const modelIdSchema = z
  .string()
  .max(MAX_MODEL_ID)
  .regex(/^[a-z0-9][a-z0-9-]*\/.+$/, 'must be "<provider>/<id>", for example openai/gpt-5-mini');

export const PROMPT_VERSION = 'v4';
/** Provider messages. Only the role is checked; the provider validates the rest. */
export const promptSchema = z.array(z.looseObject({ role: z.enum(['system', 'user', 'assistant', 'tool']) }));
export type Prompt = z.infer<typeof promptSchema>;

export const modelSettingsSchema = z.strictObject({
  maxOutputTokens: z.number().int().positive().optional(),
  temperature: z.number().min(0).optional(),
  topP: z.number().min(0).max(1).optional(),
  topK: z.number().int().positive().optional(),
  presencePenalty: z.number().optional(),
  frequencyPenalty: z.number().optional(),
  stopSequences: z.array(z.string()).optional(),
  seed: z.number().int().optional(),
});
export type ModelSettings = z.infer<typeof modelSettingsSchema>;

export const toolChoiceSchema = z.union([
  z.enum(['auto', 'none', 'required']),
  z.object({ type: z.literal('tool'), toolName: z.string() }),
]);
export type ToolChoice = z.infer<typeof toolChoiceSchema>;

/** Settings of the model that an agent may open to its callers. */
export const callerSettingSchema = z.enum([...modelSettingsSchema.keyof().options, 'toolChoice']);
export type CallerSetting = z.infer<typeof callerSettingSchema>;

/** Limits of the settings and of the schema that a caller submits. */
export const CALLER_LIMITS = {
  maxStopSequences: 16,
  maxStopLength: 256,
  /** UTF-16 units of `structuredOutput` as JSON. */
  maxSchemaLength: 32 * 1024,
  maxSchemaNesting: 32,
} as const;
const { maxStopSequences, maxStopLength, maxSchemaLength, maxSchemaNesting } = CALLER_LIMITS;

export const callerModelSettingsSchema = modelSettingsSchema.extend({
  stopSequences: z.array(z.string().min(1).max(maxStopLength)).max(maxStopSequences).optional(),
});
export const callerToolChoiceSchema = z.union([
  z.enum(['auto', 'none', 'required']),
  z.strictObject({ type: z.literal('tool'), toolName: tokenSchema }),
]);

/** read: changes nothing outside. write: changes data. send: also transmits data to others. */
export const toolEffectSchema = z.enum(['read', 'write', 'send']);
export type ToolEffect = z.infer<typeof toolEffectSchema>;

export const toolDefinitionSchema = z.object({
  name: tokenSchema,
  description: z.string(),
  inputSchema: jsonSchemaSchema,
  subject: z.string(),
  strict: z.boolean().optional(),
  idempotent: z.boolean().default(false),
  effect: toolEffectSchema.optional().describe('default: write'),
  timeoutMs: z.number().int().positive().default(30_000),
});
export type ToolDefinition = z.infer<typeof toolDefinitionSchema>;

export const structuredOutputSchema = z.object({
  schema: jsonSchemaSchema,
  name: z.string().optional(),
  description: z.string().optional(),
});
export type StructuredOutput = z.infer<typeof structuredOutputSchema>;

/** The schema that a caller submits for one run. `{type: object, additionalProperties: true}` requests any object. */
export const callerOutputSchema = z
  .strictObject({
    schema: jsonSchemaSchema,
    name: z
      .string()
      .regex(/^[A-Za-z0-9_-]{1,64}$/, 'must be 1 to 64 letters, digits, _ and -')
      .optional(),
    description: z.string().max(1_024).optional(),
  })
  .refine((value) => !isNestedDeeper(value, maxSchemaNesting), `is nested deeper than ${maxSchemaNesting}`)
  .refine(
    (value) => isNestedDeeper(value, maxSchemaNesting) || JSON.stringify(value).length <= maxSchemaLength,
    `is longer than ${maxSchemaLength} characters as JSON`,
  );

/** Token counts. A number is absent if the provider does not report it. */
/** Maximum of each count in one verdict. */
export const MAX_REPORTED_TOKENS = 1_000_000_000;
const defineCounts = <T extends z.ZodType>(count: T) => ({
  modelCalls: count,
  inputTokens: count,
  outputTokens: count,
});
/** Model calls that a processor has made itself. */
export const processorUsageSchema = z.strictObject(
  defineCounts(z.number().int().min(0).max(MAX_REPORTED_TOKENS).optional().describe('absent: 0, or unknown')),
);
export type ProcessorUsage = z.infer<typeof processorUsageSchema>;
/** One report of a processor. */
export const reportedUsageSchema = processorUsageSchema.extend({
  model: modelIdSchema.optional().describe('of the calls; budgets count calls without it at the highest price'),
});
export type ReportedUsage = z.infer<typeof reportedUsageSchema>;

type CallCounts = { inputTokens?: number | undefined; outputTokens?: number | undefined };
/** Returns the report of one call. A provider may report no counts, or other values than counts. */
export function makeCallReport(model: string, { inputTokens, outputTokens }: CallCounts): ReportedUsage {
  const counts = processorUsageSchema.catch({}).parse({
    ...(inputTokens !== undefined && { inputTokens }),
    ...(outputTokens !== undefined && { outputTokens }),
  });
  return { modelCalls: 1, model, ...counts };
}
/** Maximum number of models in one verdict; calls of further ones count as calls without a model. */
export const MAX_REPORTED_MODELS = 16;
/** The sum of the reports in one call or session. */
export const verdictUsageSchema = processorUsageSchema.extend({
  models: z
    .array(reportedUsageSchema.required({ model: true }))
    .max(MAX_REPORTED_MODELS)
    .optional()
    .describe('the parts of the counts that name their model'),
});
export type VerdictUsage = z.infer<typeof verdictUsageSchema>;

/** The sum of an entry over a run. */
export const entryUsageSchema = z.object({ entry: z.string(), ...defineCounts(z.number().int().min(0)) });
export type EntryUsage = z.infer<typeof entryUsageSchema>;

export const usageSchema = z.object({
  inputTokens: z.number().optional(),
  outputTokens: z.number().optional(),
  totalTokens: z.number().optional(),
  reasoningTokens: z.number().optional(),
  cachedInputTokens: z.number().optional(),
  cost: z.number().optional().describe('in the currency of the agent’s prices; absent if price or tokens are unknown'),
  estimated: z
    .boolean()
    .optional()
    .describe(
      'true if the provider reported no usage of a cut-off call: the tokens are estimated by the length of its texts',
    ),
  processors: z
    .array(entryUsageSchema)
    .optional()
    .describe('model calls that the processors report, by entry; the other members do not include them'),
});
export type Usage = z.infer<typeof usageSchema>;

export const toolCallSchema = z.object({
  toolCallId: z.string(),
  toolName: z.string(),
  args: jsonValueSchema,
  argsText: jsonTextSchema,
});
export type ToolCall = z.infer<typeof toolCallSchema>;

/** Returns the call alone, of a value with further members. */
export const pickCall = ({ toolCallId, toolName, args, argsText }: ToolCall): ToolCall => ({
  toolCallId,
  toolName,
  args,
  ...nameText('args', argsText),
});

export const toolResultSchema = toolCallSchema.extend({
  result: jsonValueSchema,
  resultText: jsonTextSchema,
  isError: z.boolean(),
  denied: z.boolean().optional(),
});
export type ToolResult = z.infer<typeof toolResultSchema>;

export const finishReasonSchema = z.string().describe('stop, length, content-filter, tool-calls, error, other, halted');

export const stepResultSchema = z.object({
  stepNumber: z.number().int().min(0),
  text: z.string(),
  reasoning: z.string(),
  toolCalls: z.array(toolCallSchema),
  toolResults: z.array(toolResultSchema),
  finishReason: finishReasonSchema,
  usage: usageSchema,
  model: z.string(),
  fromCache: z.boolean(),
  sources: z.array(jsonObjectSchema).optional().describe('sources that the answer cites'),
  files: z
    .array(z.object({ data: z.string(), mimeType: z.string() }))
    .optional()
    .describe('generated files: base64, or a URL'),
  latencyMs: z.number().optional().describe('duration of the model call; absent for a cached answer'),
  warnings: z.array(jsonValueSchema).optional().describe('warnings of the provider’s client'),
  response: jsonObjectSchema.optional().describe('id, modelId and timestamp as the provider reports them'),
});
export type StepResult = z.infer<typeof stepResultSchema>;

/** A model call's error as it travels; rebuilt at the other end so that APICallError.isInstance holds. */
export const modelErrorSchema = z.object({
  name: z.string(),
  message: z.string(),
  statusCode: z.number().optional(),
  responseBody: z.string().optional(),
  isRetryable: z.boolean(),
  url: z.string().optional(),
});
export type ModelError = z.infer<typeof modelErrorSchema>;

/** The cause for which a call of a model failed. docs/models.md lists the effect of each. */
export const failureCauseSchema = z.enum([
  'network',
  'unavailable',
  'throttled',
  'unauthorized',
  'silent',
  'cut',
  'malformed',
  'too-long',
  'refused',
  'invalid',
  'internal',
]);
export type FailureCause = z.infer<typeof failureCauseSchema>;

export const providerOptionsSchema = z.record(z.string(), jsonObjectSchema);
