// Defines the tools that a caller submits with a run: the model may call them, and the caller executes the calls. A call
// is a question to the caller, and its answer is the result of the tool.
import { z } from 'zod';
import { isNestedDeeper, jsonSchemaSchema, jsonTextSchema, jsonValueSchema } from '../base/json.ts';
import type { ToolDefinition } from '../message/model.ts';
import { tokenSchema } from '../base/tokens.ts';

export const CLIENT_TOOL_LIMITS = {
  maxTools: 256,
  /** UTF-16 code units of the definitions as JSON. */
  maxLength: 256 * 1024,
  maxNesting: 32,
  /** UTF-16 code units of the arguments of one call as JSON. */
  maxArgsLength: 128 * 1024,
  /** UTF-16 code units of one result as JSON. */
  maxResultLength: 512 * 1024,
  expiresInSeconds: 3_600,
  /** Suspended runs that a caller may have when it submits a run with tools. */
  maxWaitingRuns: 1_000,
} as const;
const { maxTools, maxLength, maxNesting } = CLIENT_TOOL_LIMITS;

/** Providers look names up in a plain object, and would find the inherited member instead of the tool. */
const isInherited = (name: string): boolean => name in Object.prototype;

export const clientToolSchema = z.strictObject({
  name: tokenSchema.refine((name) => !isInherited(name), 'is a member of every object'),
  description: z.string().default(''),
  inputSchema: jsonSchemaSchema.default({ type: 'object', properties: {} }),
  strict: z.boolean().optional().describe('the provider holds the model to the schema'),
});
export type ClientTool = z.output<typeof clientToolSchema>;

/** The definitions of one run. */
export const clientToolsSchema = z
  .array(clientToolSchema)
  .max(maxTools)
  .refine((tools) => new Set(tools.map(({ name }) => name)).size === tools.length, 'has a name twice')
  .refine((tools) => !isNestedDeeper(tools, maxNesting), `is nested deeper than ${maxNesting}`)
  .refine(
    (tools) => isNestedDeeper(tools, maxNesting) || JSON.stringify(tools).length <= maxLength,
    `is longer than ${maxLength} characters as JSON`,
  );

/** Answer of the caller to a call: the result, or the text of its error. */
export const clientResultSchema = z.union([
  z.strictObject({ output: jsonValueSchema, outputText: jsonTextSchema }),
  z.strictObject({ error: z.string().max(CLIENT_TOOL_LIMITS.maxResultLength) }),
]);
export type ClientResult = z.output<typeof clientResultSchema>;

/** Returns the definition as the model and the processors receive it. No service executes the tool. */
export const describeClientTool = (tool: ClientTool): ToolDefinition => ({
  ...tool,
  subject: '',
  // The caller receives a call as often as it reads the run: nothing is recorded before.
  idempotent: true,
  timeoutMs: CLIENT_TOOL_LIMITS.expiresInSeconds * 1_000,
});
