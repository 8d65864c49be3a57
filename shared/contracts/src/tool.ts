// A tool call over the bus, and what it is answered with: progress any number of times, numbered, then one result.
import { z } from 'zod';
import { chunkSchema } from './chunk.ts';
import { wireErrorSchema } from './errors.ts';
import { jsonObjectSchema, jsonValueSchema } from './json.ts';
import { toolCallSchema } from './model.ts';
import { runRefSchema, traceSchema } from './stage-call.ts';
import { suspendedForSchema } from './suspension.ts';
import { timeoutMsSchema } from './timeout.ts';
import { tokenSchema } from './tokens.ts';

export const toolRequestSchema = z.object({
  callId: tokenSchema,
  run: runRefSchema,
  stepNumber: z.number().int().min(0),
  toolCall: toolCallSchema,
  position: z
    .number()
    .int()
    .min(0)
    .optional()
    .describe(
      'index of the call in its answer: tenant, run, step and position name a call, whatever its provider calls it',
    ),
  resumeData: jsonValueSchema
    .optional()
    .describe('what somebody answered to what the tool suspended with: the same call is made again with it'),
  /** Given to tools that say they are idempotent: a second call with it must have the effect of one. */
  idempotencyKey: z.string().optional(),
  requestContext: jsonObjectSchema,
  trace: traceSchema.optional(),
  timeoutMs: timeoutMsSchema,
});
export type ToolRequest = z.infer<typeof toolRequestSchema>;

const sequence = z.number().int().min(0);
export const toolReplySchema = z.union([
  z.object({ sequence, result: jsonValueSchema, replica: tokenSchema }),
  z.object({ sequence, error: wireErrorSchema, replica: tokenSchema }),
  z.object({
    sequence,
    suspended: z
      .object({ payload: jsonValueSchema, expiresInSeconds: suspendedForSchema })
      .describe('the tool waits for an answer: the run is put away, and the call made again with it'),
    replica: tokenSchema,
  }),
  z.object({ sequence, progress: z.array(chunkSchema) }),
]);
export type ToolReply = z.infer<typeof toolReplySchema>;
