// Defines a tool call over the bus and its replies: numbered progress messages, then one result.
import { z } from 'zod';
import { chunkSchema } from '../chunk/chunk.ts';
import { wireErrorSchema } from '../base/errors.ts';
import { jsonObjectSchema, jsonTextSchema, jsonValueSchema } from '../base/json.ts';
import { toolCallSchema } from '../message/model.ts';
import { runRefSchema, traceSchema } from '../stage/stage-call.ts';
import { suspendedForSchema } from '../chunk/suspension.ts';
import { timeoutMsSchema } from '../stage/timeout.ts';
import { tokenSchema } from '../base/tokens.ts';

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
      'index of the call in its answer: tenant, run, step and position identify a call, because provider ids may repeat',
    ),
  resumeData: jsonValueSchema
    .optional()
    .describe("answer to this tool's suspension: the same call is made again with it"),
  /** Set for tools that declare themselves idempotent: a second call with the key must have the effect of one. */
  idempotencyKey: z.string().optional(),
  requestContext: jsonObjectSchema,
  trace: traceSchema.optional(),
  timeoutMs: timeoutMsSchema,
});
export type ToolRequest = z.infer<typeof toolRequestSchema>;

const sequence = z.number().int().min(0);
export const toolReplySchema = z.union([
  z.object({ sequence, result: jsonValueSchema, resultText: jsonTextSchema, replica: tokenSchema }),
  z.object({ sequence, error: wireErrorSchema, replica: tokenSchema }),
  z.object({
    sequence,
    suspended: z
      .object({ payload: jsonValueSchema, expiresInSeconds: suspendedForSchema })
      .describe('the tool suspended: the run is suspended, and the call is repeated with the answer'),
    replica: tokenSchema,
  }),
  z.object({ sequence, progress: z.array(chunkSchema) }),
]);
export type ToolReply = z.infer<typeof toolReplySchema>;
