// Defines a stage call: one request for a list of adjacent processors of one service, and its reply. The replica
// applies them in order and returns a verdict for each that ran, up to the first stop; fewer if it serves only some.
import { z } from 'zod';
import { chunkSchema } from '../chunk/chunk.ts';
import { conversationSchema } from '../message/conversation.ts';
import { markFrequent } from '../base/json-fit.ts';
import { jsonObjectSchema, jsonTextSchema, jsonValueSchema } from '../base/json.ts';
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
} from '../message/model.ts';
import { stageSchema } from '../base/stage.ts';
import { timeoutMsSchema } from './timeout.ts';
import { tokenSchema } from '../base/tokens.ts';
import { verdictSchema } from './verdict.ts';

/** Identifies the run and the position of a call: processors derive ids of their effects from (run, step, position). */
export const runRefSchema = z.object({
  tenant: tokenSchema,
  runId: tokenSchema,
  agent: tokenSchema,
  epoch: z.number().int().min(1),
  threadId: z.string().optional(),
  resourceId: z.string().optional().describe('Default: the thread owns its memory'),
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
    .describe("answer to this entry's suspension: the same stage is called again with it"),
  index: z.number().int().min(0).optional().describe('index of the entry in its list, with memory at its position'),
  skippable: z
    .literal(true)
    .optional()
    .describe('a failure of this call skips the entry: a processor that can judge without its failed part does so'),
});
export type CallEntry = z.infer<typeof callEntrySchema>;

/** Version of a guard for the cache key: an answer that other guards passed is another answer. */
export const guardVersionSchema = z.object({
  entry: tokenSchema,
  processor: tokenSchema,
  version: z.string(),
  options: z.string().describe('a hash of the entry’s options'),
});
export type GuardVersion = z.infer<typeof guardVersionSchema>;

/** Ids of the processors that judge the input of a run, and its output. An entry that may be skipped is none of them. */
export const runJudgesSchema = z.object({ input: z.array(tokenSchema), output: z.array(tokenSchema) });
export type RunJudges = z.infer<typeof runJudgesSchema>;

/**
 * The arguments of all stages in one object; members that a stage does not use are absent. `conversation` contains only
 * the messages in the processors' reads.
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
      'processLLMResponse: number of the model call in the run, starting at 1; its cost is counted once under it',
    ),
  cutOff: z
    .boolean()
    .optional()
    .describe('processLLMResponse: the call was cut off, there is no answer; only for processors with processCutOff'),
  judges: runJudgesSchema
    .optional()
    .describe('processInput and processOutputResult: the processors that judge the texts of the run, for memories'),
  replaces: z
    .array(z.string())
    .optional()
    .describe('as `judges`: ids of the last messages of the thread, which the run replaces, for memories'),
  guards: z.array(guardVersionSchema).optional().describe('processLLMRequest: part of the key of a cache'),
  request: jsonValueSchema.optional().describe('the request body sent to the provider'),
  rawResponse: jsonValueSchema.optional().describe("the provider's response without its stream: id, model, headers"),
  text: z.string().optional(),
  toolCalls: z.array(toolCallSchema).optional(),
  finishReason: z.string().optional(),
  usage: usageSchema.optional(),
  toolCall: toolCallSchema.optional(),
  tool: toolDefinitionSchema.optional(),
  result: jsonValueSchema.optional(),
  resultText: jsonTextSchema,
  resultOrigin: z
    .literal('caller')
    .optional()
    .describe("processToolResult: the result is the caller's answer to the question of the tool"),
  isError: z.boolean().optional(),
  /** processOutputResult: true if a model has answered in this run. Otherwise memory saves nothing. */
  answered: z.boolean().optional(),
  messageId: z.string().optional().describe('processOutputStep: id of the answer among the messages'),
});
export type StageInput = z.infer<typeof stageInputSchema>;

const callHead = {
  callId: tokenSchema,
  run: runRefSchema,
  entries: z.array(callEntrySchema).min(1),
  requestContext: jsonObjectSchema,
  trace: traceSchema.optional(),
  timeoutMs: timeoutMsSchema,
  /** A duration instead of a timestamp, because clocks differ between machines. */
  remainingMs: timeoutMsSchema.describe("time until the run's deadline when the call was sent, in ms"),
  maxProcessorRetries: z
    .number()
    .int()
    .min(0)
    .optional()
    .describe('a retry is allowed while retryCount is lower; absent from earlier versions'),
};

export const stageCallSchema = markFrequent(z.object({ ...callHead, stage: stageSchema, input: stageInputSchema }));
export type StageCall = z.infer<typeof stageCallSchema>;

/** The last reply to a call. */
export const finalReplySchema = z.object({
  sequence: z.number().int().min(0),
  verdicts: z.array(verdictSchema),
  ms: z.array(z.number()),
  replica: tokenSchema,
  // A reply with verdicts and an error is invalid: verdicts of a failed replica must not count.
  error: z.never().optional(),
});

/**
 * Replies to one call are numbered densely from 0; the last one has `verdicts`, one for each processor that ran. `ms`:
 * duration of each. A long call reports progress every half second, so that the orchestrator detects a lost replica and
 * identifies a hanging member.
 */
export const stageReplySchema = markFrequent(
  z.union([
    finalReplySchema,
    z.object({
      sequence: z.number().int().min(0),
      progress: z.array(chunkSchema).describe('custom data-* chunks; empty: a heartbeat'),
      entry: tokenSchema.optional().describe('the entry that sent the chunks'),
      replica: tokenSchema.optional().describe('the replica that executes the call'),
      judged: z
        .object({ verdicts: z.array(verdictSchema), ms: z.array(z.number()) })
        .optional()
        .describe('the verdicts so far, all of them'),
    }),
  ]),
);
export type StageReply = z.infer<typeof stageReplySchema>;

export { callHead };
