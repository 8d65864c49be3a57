// A stage call: one request for a list of adjacent processors of one service, and what it is answered with. The replica
// applies them in order and answers a verdict for each that ran, up to the first that stops; fewer when it serves only some.
import { z } from 'zod';
import { chunkSchema } from './chunk.ts';
import { conversationSchema } from './conversation.ts';
import { quicklyRead } from './json-fit.ts';
import { jsonObjectSchema, jsonValueSchema } from './json.ts';
import {
  modelErrorSchema,
  modelSettingsSchema,
  promptSchema,
  providerOptionsSchema,
  stepResultSchema,
  structuredOutputSchema,
  toolCallSchema,
  toolChoiceSchema,
  toolDefinitionSchema,
  usageSchema,
} from './model.ts';
import { stageSchema } from './stage.ts';
import { timeoutMsSchema } from './timeout.ts';
import { tokenSchema } from './tokens.ts';
import { verdictSchema } from './verdict.ts';

/** Which run a call belongs to, and where in it: effects of processors derive their ids from (run, step, position). */
export const runRefSchema = z.object({
  tenant: tokenSchema,
  runId: tokenSchema,
  agent: tokenSchema,
  epoch: z.number().int().min(1),
  threadId: z.string().optional(),
  resourceId: z.string().optional().describe('the thread owns its memory if absent'),
});
export type RunRef = z.infer<typeof runRefSchema>;

export const traceSchema = z.object({ traceparent: z.string(), tracestate: z.string().optional() });
export type Trace = z.infer<typeof traceSchema>;

export const callEntrySchema = z.object({
  entry: tokenSchema,
  processor: tokenSchema,
  options: jsonObjectSchema,
  state: jsonObjectSchema,
  resumeData: jsonValueSchema
    .optional()
    .describe('what somebody answered to what this entry suspended with: the same stage is called again with it'),
  index: z.number().int().min(0).optional().describe('of the entry in its list, memory in its place'),
});
export type CallEntry = z.infer<typeof callEntrySchema>;

/** Who judges an answer, as a cache has to know it: what other guards have let through is another answer. */
export const guardVersionSchema = z.object({
  entry: tokenSchema,
  processor: tokenSchema,
  version: z.string(),
  options: z.string().describe('a hash of the entry’s options'),
});
export type GuardVersion = z.infer<typeof guardVersionSchema>;

/**
 * The arguments of all stages in one object; what a stage has no use for is absent. `conversation` holds only the messages
 * that the list's processors said they read.
 */
export const stageInputSchema = z.object({
  retryCount: z.number().int().min(0),
  stepNumber: z.number().int().min(0),
  conversation: conversationSchema.optional(),
  steps: z.array(stepResultSchema).optional(),
  model: z.string().optional(),
  tools: z.array(toolDefinitionSchema).optional(),
  activeTools: z.array(z.string()).nullable().optional(),
  toolChoice: toolChoiceSchema.optional(),
  modelSettings: modelSettingsSchema.optional(),
  providerOptions: providerOptionsSchema.optional(),
  structuredOutput: structuredOutputSchema.nullable().optional(),
  prompt: promptSchema.optional(),
  promptVersion: z.string().optional(),
  error: modelErrorSchema.optional(),
  chunks: z.array(chunkSchema).optional(),
  fromCache: z.boolean().optional(),
  warnings: z.array(z.unknown()).optional(),
  modelCall: z
    .number()
    .int()
    .min(0)
    .optional()
    .describe(
      'processLLMResponse: number of the model call in the run, from 1 on: what it cost is counted once under it',
    ),
  cutOff: z
    .boolean()
    .optional()
    .describe('processLLMResponse: the call was cut off, there is no answer; only for processors with processCutOff'),
  guards: z.array(guardVersionSchema).optional().describe('processLLMRequest: part of the key of a cache'),
  request: jsonValueSchema.optional().describe('the body that was sent to the provider'),
  rawResponse: jsonValueSchema.optional().describe('what the provider answered around the stream: id, model, headers'),
  text: z.string().optional(),
  toolCalls: z.array(toolCallSchema).optional(),
  finishReason: z.string().optional(),
  usage: usageSchema.optional(),
  toolCall: toolCallSchema.optional(),
  tool: toolDefinitionSchema.optional(),
  result: jsonValueSchema.optional(),
  isError: z.boolean().optional(),
  /** processOutputResult: whether a model has answered in this run. Memory saves nothing where none has. */
  answered: z.boolean().optional(),
  messageId: z.string().optional().describe('processOutputStep: of the answer among the messages'),
});
export type StageInput = z.infer<typeof stageInputSchema>;

const callHead = {
  callId: tokenSchema,
  run: runRefSchema,
  entries: z.array(callEntrySchema).min(1),
  requestContext: jsonObjectSchema,
  trace: traceSchema.optional(),
  timeoutMs: timeoutMsSchema,
  /** Not a point in time: the clocks of two machines differ. */
  remainingMs: timeoutMsSchema.describe('what is left of the run, ms, when the call was sent'),
};

export const stageCallSchema = quicklyRead(z.object({ ...callHead, stage: stageSchema, input: stageInputSchema }));
export type StageCall = z.infer<typeof stageCallSchema>;

/**
 * Replies to one call are numbered densely from 0; the last one has `verdicts`, one for each processor that ran. `ms`: what each took.
 * A call that takes long is told of every half second, so that a replica that is gone is noticed and a member that hangs known.
 */
export const stageReplySchema = quicklyRead(
  z.union([
    z.object({
      sequence: z.number().int().min(0),
      verdicts: z.array(verdictSchema),
      ms: z.array(z.number()),
      replica: tokenSchema,
      // An answer with both is an error: a verdict of a replica that failed must not count.
      error: z.never().optional(),
    }),
    z.object({
      sequence: z.number().int().min(0),
      progress: z.array(chunkSchema).describe('custom data-* chunks; none: a sign of life'),
      entry: tokenSchema.optional().describe('whose chunks they are'),
      replica: tokenSchema.optional().describe('who works on the call'),
      judged: z
        .object({ verdicts: z.array(verdictSchema), ms: z.array(z.number()) })
        .optional()
        .describe('the verdicts so far, all of them'),
    }),
  ]),
);
export type StageReply = z.infer<typeof stageReplySchema>;

export { callHead };
