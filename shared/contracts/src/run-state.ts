// What a run is made of, as data. `RunState` is the fold of its actions; a checkpoint writes the actions since the last one as
// a write-once record and moves the small head by compare-and-set. Reading the records back and folding them again is
// recovery: nothing that crosses a checkpoint lives anywhere else.
import { z } from 'zod';
import { conversationSchema, messageOpSchema, systemMessageSchema } from './conversation.ts';
import { jsonObjectSchema, jsonValueSchema } from './json.ts';
import { messageSchema } from './message.ts';
import {
  finishReasonSchema,
  modelIdSchema,
  stepResultSchema,
  toolCallSchema,
  toolDefinitionSchema,
  toolResultSchema,
  usageSchema,
} from './model.ts';
import { appliedAgentSchema } from './plan.ts';
import { wireErrorSchema } from './errors.ts';
import { runRequestSchema, runResultSchema, tripwireSchema } from './run.ts';
import { chunkSchema, finishChunkSchema } from './chunk.ts';
import { stageInputSchema } from './stage-call.ts';
import { storedVersionSchema } from './stored-version.ts';
import { openPendingSchema } from './suspension.ts';
import { violationSchema } from './verdict.ts';

const count = z.number().int().min(0);

/**
 * How a run ended: apart from the head, which is read for every page of a replay. Written before the head, under a name of its own: only the
 * end that the head names counts, so that a writer that loses the head overwrites nothing.
 */
export const runEndSchema = z.object({
  result: runResultSchema,
  lastChunk: chunkSchema,
  sharesMessages: z.literal(true).optional().describe('the messages of the last chunk are those of the result'),
});
export type RunEnd = z.infer<typeof runEndSchema>;

/** A model's answer as it was let through. */
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
});
export type StepAnswer = z.infer<typeof stepAnswerSchema>;

/** A call of an answer: what it is known by within its step is its place, whatever id its provider gave it. */
const position = count.describe('index of the call in the answer');
export const placedCallSchema = toolCallSchema.extend({ position });
export type PlacedCall = z.infer<typeof placedCallSchema>;
export const placedResultSchema = toolResultSchema.extend({ position });
export type PlacedResult = z.infer<typeof placedResultSchema>;

/** A model's answer before processOutputStep has passed it: what that stage goes on with after a suspension. */
export const draftSchema = z.object({
  answer: stepAnswerSchema,
  tools: z.array(toolDefinitionSchema),
  structured: z.boolean().describe('the model was asked for an object'),
  system: z.array(systemMessageSchema).describe('as they were before the stage'),
});
export type Draft = z.infer<typeof draftSchema>;

/** Something that the run waits for. It stays until the stage, or the tool, that asked has gone on with the answer. */
export const heldPendingSchema = openPendingSchema.extend({
  position: position.optional(),
  kept: stageInputSchema
    .omit({ conversation: true })
    .partial()
    .describe('what the entries before it have changed of the stage’s input'),
  told: z.object({ payload: jsonValueSchema.optional() }).optional().describe('it has been asked, with this payload'),
  resumed: z.object({ data: jsonValueSchema }).optional(),
});
export type HeldPending = z.infer<typeof heldPendingSchema>;

/** What a stage took back when it ended the run: its step, or everything; `from` is the index of the first chunk that no longer counts. */
const takenBackSchema = z.object({ what: z.enum(['step', 'run']), from: count });

/** An ending that takes back what was said. It is decided once: who takes the run over ends it so, too. */
export const rejectionSchema = z.discriminatedUnion('form', [
  z.object({
    form: z.literal('halt'),
    response: z.string(),
    reason: z.string().optional(),
    processorId: z.string(),
    answered: z.boolean(),
    rejected: takenBackSchema,
  }),
  z.object({ form: z.literal('tripwire'), tripwire: tripwireSchema, rejected: takenBackSchema }),
  z.object({
    form: z.literal('error'),
    error: wireErrorSchema,
    ownWords: z.boolean().optional(),
    chainBroken: z.boolean().optional(),
    rejected: takenBackSchema,
  }),
]);
export type Rejection = z.infer<typeof rejectionSchema>;

/** Everything that can happen to a run. */
export const runActionSchema = z.discriminatedUnion('action', [
  z.object({
    action: z.literal('begun').describe('the first of a run, and no other'),
    request: runRequestSchema,
    applied: appliedAgentSchema.describe('the agent as it was then: what is applied later is for later runs'),
    firstIndex: count,
  }),
  z.object({
    action: z.literal('messages-changed'),
    ops: z.array(messageOpSchema),
    unpassed: z.literal(true).optional().describe('processors worded them, and the output chain has not passed them'),
  }),
  z.object({ action: z.literal('messages-passed') }),
  z.object({ action: z.literal('states-changed'), states: z.record(z.string(), jsonObjectSchema) }),
  z.object({ action: z.literal('violations-found'), violations: z.array(violationSchema) }),
  z.object({ action: z.literal('input-passed') }),
  z.object({ action: z.literal('step-opened'), firstIndex: count }),
  z.object({
    action: z.literal('step-moved').describe('what is held comes out elsewhere than where its last owner had put it'),
    firstIndex: count,
  }),
  z.object({
    action: z.literal('chunks-held'),
    keep: count.describe('so many of those before stay'),
    chunks: z.array(chunkSchema),
  }),
  z.object({ action: z.literal('model-called') }),
  z.object({
    action: z.literal('model-answered').describe('it is paid for, whatever becomes of the answer'),
    usage: usageSchema,
  }),
  z.object({
    action: z.literal('error-retried'),
    model: modelIdSchema.optional().describe('asked from now on in this step; as before if absent'),
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
    action: z.literal('call-begun').describe('before a call that may not be made twice'),
    position,
  }),
  z.object({ action: z.literal('tool-finished'), result: placedResultSchema }),
  z.object({
    action: z.literal('step-closed'),
    results: z.array(toolResultSchema).describe('as they were let through; one for each call, in call order'),
  }),
  z.object({
    action: z.literal('result-judged').describe('before memory saves: what is stored is what was judged'),
    finish: finishChunkSchema,
  }),
  z.object({
    action: z.literal('object-passed').describe('processOutputResult has changed the answer: this is its object now'),
    object: jsonValueSchema.optional(),
  }),
  z.object({ action: z.literal('suspended'), pending: heldPendingSchema }),
  z.object({
    action: z.literal('pending-told'),
    id: z.string(),
    payload: jsonValueSchema.optional().describe('as the output chain let it through'),
  }),
  z.object({ action: z.literal('pending-resumed'), id: z.string(), data: jsonValueSchema }),
  z.object({ action: z.literal('pending-settled'), id: z.string() }),
  z.object({ action: z.literal('answer-drafted'), draft: draftSchema }),
  z.object({
    action: z.literal('call-judged').describe('after the others: it had waited'),
    call: placedCallSchema.optional(),
    denied: placedResultSchema.optional(),
  }),
  z.object({ action: z.literal('results-judged'), results: z.array(placedResultSchema) }),
  z.object({ action: z.literal('finish-passed'), finish: finishChunkSchema }),
  z.object({ action: z.literal('rewound'), to: z.enum(['input', 'step']), feedback: z.string() }),
  z.object({ action: z.literal('rejected').describe('before it is taken back'), ending: rejectionSchema }),
]);
export type RunAction = z.infer<typeof runActionSchema>;

/** The step that is open. A member that is there is a statement of the loop that need not run again. */
export const openStepSchema = z.object({
  firstIndex: count.describe(
    'index of the first chunk of the step, or the one that it will have: what a retract names',
  ),
  base: conversationSchema.describe('the conversation as the step found it'),
  errorRetries: count.default(0).describe('tries that processAPIError has asked for'),
  model: modelIdSchema.optional().describe('what processAPIError wants asked instead of the agent’s'),
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
  closed: z.boolean(),
});

export const runStateSchema = z.object({
  request: runRequestSchema,
  applied: appliedAgentSchema,
  firstIndex: count.describe('index of the first chunk after `start`: what a retract of the whole run names'),
  conversation: conversationSchema,
  unpassed: z
    .array(z.string())
    .describe('ids of messages as processors worded them, which the output chain has not passed'),
  states: z.record(z.string(), jsonObjectSchema),
  inputPassed: z.boolean(),
  open: openStepSchema.optional(),
  passed: finishChunkSchema
    .optional()
    .describe('the finish as it came out of the output chain, where processOutputResult has suspended'),
  pending: z.array(heldPendingSchema).default([]),
  held: z
    .array(chunkSchema)
    .default([])
    .describe('what the output chain let through and the agent’s `release` keeps back, in order'),
  steps: z.array(stepResultSchema),
  finish: finishChunkSchema
    .optional()
    .describe('the last chunk, where the run’s result was judged: memory may have saved it'),
  rejection: rejectionSchema.optional(),
  retryCount: count.describe('consecutive; 0 after an accepted step'),
  modelCalls: count,
  answered: z.boolean().describe('a model has answered in this run'),
  usage: usageSchema,
  costUnknown: z.boolean().default(false).describe('of some call: that of the run is not known then'),
  violations: z.array(violationSchema),
});
export type RunState = z.infer<typeof runStateSchema>;

export const recordSchema = z.object({
  v: storedVersionSchema,
  epoch: z.number().int().min(1),
  actions: z.array(runActionSchema),
});
