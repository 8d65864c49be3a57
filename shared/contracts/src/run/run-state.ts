// Defines the state of a run as data. `RunState` is the fold of its actions; a checkpoint writes the actions since the
// last one as a write-once record and moves the small head by compare-and-set. Recovery reads the records and folds
// them again: no other state survives a checkpoint.
import { attemptFailureSchema } from '../agent/candidate.ts';
import { z } from 'zod';
import { clientToolsSchema } from '../tool/client-tool.ts';
import { conversationSchema, messageOpSchema, systemMessageSchema } from '../message/conversation.ts';
import { jsonObjectSchema, jsonValueSchema } from '../base/json.ts';
import { messageSchema } from '../message/message.ts';
import {
  structuredOutputSchema,
  finishReasonSchema,
  modelIdSchema,
  processorUsageSchema,
  stepResultSchema,
  toolCallSchema,
  toolDefinitionSchema,
  toolResultSchema,
  usageSchema,
} from '../message/model.ts';
import { storedAgentSchema } from '../agent/plan.ts';
import { storedRequestSchema, runResultSchema } from './run.ts';
import { rejectionSchema } from './run-rejection.ts';
import { finishChunkSchema, storedChunkSchema } from '../chunk/chunk.ts';
import { storedVersionSchema } from '../base/stored-version.ts';
import { editedAnswerSchema } from '../chunk/suspension.ts';
import { heldPendingSchema } from './held-pending.ts';
import { violationSchema } from '../stage/verdict.ts';

const count = z.number().int().min(0);

/**
 * Result of a run, separate from the head, which is read for every page of a replay. Written before the head under a
 * unique name: only the end that the head names counts, so a writer that loses the head overwrites nothing.
 */
export const runEndSchema = z.object({
  result: runResultSchema,
  lastChunk: storedChunkSchema,
  sharesMessages: z.literal(true).optional().describe('the messages of the last chunk are those of the result'),
  input: z.array(messageSchema).optional().describe('of a finished run with a thread, as processInput passed it'),
});
export type RunEnd = z.infer<typeof runEndSchema>;

/** A model's answer after the output chain passed it. */
export const stepAnswerSchema = z.object({
  message: messageSchema,
  text: z.string(),
  reasoning: z.string(),
  toolCalls: z.array(toolCallSchema),
  finishReason: finishReasonSchema,
  usage: usageSchema,
  model: z.string(),
  fromCache: z.boolean(),
  latencyMs: z.number().optional(),
  warnings: z.array(jsonValueSchema).optional().describe('as they were let through, and so is the response'),
  response: jsonObjectSchema.optional(),
  providerMetadata: jsonObjectSchema.optional().describe('of the provider’s finish'),
  object: z.unknown().optional(),
  mixed: z
    .literal(true)
    .optional()
    .describe('the stream alternates between text parts, and the answer joins their texts'),
});
export type StepAnswer = z.infer<typeof stepAnswerSchema>;

/** A call of an answer. Its position identifies it within its step, because provider ids may repeat. */
const position = count.describe('index of the call in the answer');
export const placedCallSchema = toolCallSchema.extend({ position });
export type PlacedCall = z.infer<typeof placedCallSchema>;
export const placedResultSchema = toolResultSchema.extend({
  position,
  origin: z.literal('caller').optional().describe("the result is the caller's answer to the question of the tool"),
});
export type PlacedResult = z.infer<typeof placedResultSchema>;

/** A model's answer before processOutputStep passed it: that stage resumes with it after a suspension. */
export const draftSchema = z.object({
  answer: stepAnswerSchema,
  tools: z.array(toolDefinitionSchema),
  structured: z.boolean().describe('the model was asked for an object'),
  system: z.array(systemMessageSchema).describe('as they were before the stage'),
});
export type Draft = z.infer<typeof draftSchema>;

/** The end of a run with retracted text. It is decided once: the next owner publishes the buffered text and this end. */
const restatedSchema = z.object({
  finish: finishChunkSchema,
  unsaved: z.array(z.string()).describe('memories with a deferred save'),
});

/** All actions of a run. */
export const runActionSchema = z.discriminatedUnion('action', [
  z.object({
    action: z.literal('begun').describe('the first action of a run, once'),
    request: storedRequestSchema,
    applied: storedAgentSchema.describe('the agent at the start of the run: later versions apply to later runs'),
    firstIndex: count,
  }),
  z.object({
    action: z.literal('messages-changed'),
    ops: z.array(messageOpSchema),
    unpassed: z.literal(true).optional().describe('processors wrote them, and the output chain has not passed them'),
    stored: z
      .record(z.string(), z.string())
      .optional()
      .describe('by message: its text at memory’s position in the output list, if entries behind it changed the text'),
  }),
  z.object({ action: z.literal('messages-passed') }),
  z.object({
    action: z.literal('taint-found'),
    entries: z.array(z.string()).describe('entries with untrusted text in their state'),
    origins: z.array(z.string()).describe('origins of untrusted text in prompts, outside of the messages'),
  }),
  z.object({ action: z.literal('states-changed'), states: z.record(z.string(), jsonObjectSchema) }),
  z.object({ action: z.literal('violations-found'), violations: z.array(violationSchema) }),
  z.object({
    action: z
      .literal('submitted-changed')
      .describe("processors of the input have changed the prose of the caller's schema or tools"),
    structuredOutput: structuredOutputSchema.optional(),
    clientTools: clientToolsSchema.optional(),
  }),
  z.object({
    action: z.literal('files-passed').describe('replaces the list of the files that entries of the input have passed'),
    files: z.array(z.string()),
  }),
  z.object({ action: z.literal('input-passed') }),
  z.object({ action: z.literal('step-opened'), firstIndex: count }),
  z.object({
    action: z.literal('step-moved').describe('the buffered chunks have other indexes than the lost owner assigned'),
    firstIndex: count,
  }),
  z.object({
    action: z.literal('chunks-held'),
    keep: count.describe('number of preceding items to keep'),
    chunks: z.array(storedChunkSchema),
  }),
  z.object({ action: z.literal('model-called') }),
  z.object({
    action: z.literal('model-answered').describe('the call is billed, regardless of the answer'),
    usage: usageSchema,
  }),
  z.object({
    action: z.literal('processors-billed').describe('model calls that processors have made themselves'),
    usage: z.array(z.object({ entry: z.string(), usage: processorUsageSchema })),
  }),
  z.object({
    action: z.literal('model-failed').describe('the call is not repeated by another owner'),
    failure: attemptFailureSchema,
  }),
  z.object({
    action: z.literal('error-retried'),
    model: modelIdSchema.optional().describe('model of the rest of this step; unchanged if absent'),
  }),
  z.object({
    action: z.literal('answer-accepted'),
    answer: stepAnswerSchema,
    tools: z.array(toolDefinitionSchema).describe('as processInputStep left them'),
  }),
  z.object({
    action: z.literal('calls-judged'),
    calls: z.array(placedCallSchema),
    denied: z.array(placedResultSchema),
  }),
  z.object({
    action: z.literal('call-begun').describe('before a call that must not be repeated'),
    position,
  }),
  z.object({ action: z.literal('tool-finished'), result: placedResultSchema }),
  z.object({
    action: z.literal('step-closed'),
    results: z.array(toolResultSchema).describe('as they were let through; one for each call, in call order'),
  }),
  z.object({
    action: z.literal('result-judged').describe('before memory saves, so that the stored result equals the judged one'),
    finish: finishChunkSchema,
  }),
  z.object({
    action: z.literal('object-passed').describe('processOutputResult has changed the answer: its current object'),
    object: jsonValueSchema.optional(),
  }),
  z.object({ action: z.literal('suspended'), pending: heldPendingSchema }),
  z.object({
    action: z.literal('pending-told'),
    id: z.string(),
    payload: jsonValueSchema.optional().describe('as the output chain let it through'),
  }),
  z.object({
    action: z.literal('pending-resumed'),
    id: z.string(),
    data: jsonValueSchema,
    edited: editedAnswerSchema.optional().describe('an operator approved the call with these arguments'),
  }),
  z.object({ action: z.literal('pending-settled'), id: z.string() }),
  z.object({ action: z.literal('answer-drafted'), draft: draftSchema }),
  z.object({
    action: z.literal('call-judged').describe('after the others: it had waited'),
    call: placedCallSchema.optional(),
    denied: placedResultSchema.optional(),
  }),
  z.object({ action: z.literal('results-judged'), results: z.array(placedResultSchema) }),
  z.object({ action: z.literal('finish-passed'), finish: finishChunkSchema }),
  z.object({
    action: z.literal('stream-differed').describe('clients see another text of the current step than its answer has'),
  }),
  z.object({
    action: z.literal('answer-restated').describe('before the streamed text that differs from the result is retracted'),
    ...restatedSchema.shape,
  }),
  z.object({ action: z.literal('rewound'), to: z.enum(['input', 'step']), feedback: z.string() }),
  z.object({ action: z.literal('rejected').describe('before it is taken back'), ending: rejectionSchema }),
]);
export type RunAction = z.infer<typeof runActionSchema>;

/** The open step. A present member marks a statement of the loop that need not run again. */
export const openStepSchema = z.object({
  firstIndex: count.describe('index of the first chunk of the step, or its future index: the target of a retract'),
  base: conversationSchema.describe('the conversation at the start of the step'),
  model: modelIdSchema.optional().describe('model that processAPIError requested instead of the agent’s'),
  failures: z.array(attemptFailureSchema).optional().describe('failed calls since processAPIError decided, in order'),
  draft: draftSchema.optional(),
  answer: stepAnswerSchema.optional(),
  tools: z.array(toolDefinitionSchema),
  calls: z.array(placedCallSchema).optional().describe('the allowed calls, judged'),
  begun: z
    .array(position)
    .describe('calls that may not be made twice, and were begun; whether one without a result was made is unknown'),
  results: z.array(placedResultSchema).describe('of denied calls, then of finished ones; as the tools gave them'),
  judged: z
    .array(placedResultSchema)
    .default([])
    .describe('results that processToolResult has passed before it suspended'),
  differs: z.literal(true).optional().describe('as in `shown`'),
  closed: z.boolean(),
});

const shownStepSchema = z.object({
  firstIndex: count.describe('index of the first chunk of the step: the target of a retract'),
  differs: z.literal(true).optional().describe('its stream has another text than the accepted answer'),
});

export const runStateSchema = z.object({
  request: storedRequestSchema,
  applied: storedAgentSchema,
  firstIndex: count.describe('index of the first chunk after `start`: the target of a retract of the whole run'),
  conversation: conversationSchema,
  unpassed: z
    .array(z.string())
    .describe('ids of messages as processors worded them, which the output chain has not passed'),
  stored: z
    .record(z.string(), z.string())
    .default({})
    .describe('by message: the text that memory stores, if entries behind memory have changed the answer'),
  taint: z
    .object({ entries: z.array(z.string()), origins: z.array(z.string()) })
    .default({ entries: [], origins: [] })
    .describe('entries with untrusted text in their state, and untrusted text in prompts outside of the messages'),
  states: z.record(z.string(), jsonObjectSchema),
  passedFiles: z
    .array(z.string())
    .default([])
    .describe('hashes of the files that entries of the input have judged and passed'),
  inputPassed: z.boolean(),
  open: openStepSchema.optional(),
  passed: finishChunkSchema
    .optional()
    .describe('the finish from the output chain, if processOutputResult has suspended'),
  pending: z.array(heldPendingSchema).default([]),
  held: z
    .array(storedChunkSchema)
    .default([])
    .describe('chunks from the output chain that the agent’s `release` policy buffers, in order'),
  steps: z.array(stepResultSchema),
  shown: z.array(shownStepSchema).default([]).describe('the stream of each step, in the order of `steps`'),
  restated: restatedSchema.optional(),
  finish: finishChunkSchema
    .optional()
    .describe('the last chunk, if the run’s result was judged: memory may have saved it'),
  rejection: rejectionSchema.optional(),
  retryCount: count.describe('consecutive; 0 after an accepted step'),
  modelCalls: count,
  clientCalls: count.default(0).describe('calls of the caller’s tools so far; also those of rejected answers'),
  toolCalls: z
    .record(z.string(), count)
    .default({})
    .describe('by tool: the calls that processToolCall has allowed so far; also those of repeated steps'),
  answered: z.boolean().describe('a model has answered in this run'),
  usage: usageSchema,
  costUnknown: z.boolean().default(false).describe('the cost of a call is unknown, and so is the cost of the run'),
  violations: z.array(violationSchema),
});
export type RunState = z.infer<typeof runStateSchema>;

export const recordSchema = z.object({
  v: storedVersionSchema,
  epoch: z.number().int().min(1),
  actions: z.array(runActionSchema),
});
