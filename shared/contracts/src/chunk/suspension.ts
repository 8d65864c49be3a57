// Defines a suspended run: its pending items, the right to answer them, and the time limit. docs/semantics.md,
// "Suspension".
import { z } from 'zod';
import { jsonObjectSchema, jsonValueSchema, type JsonValue } from '../base/json.ts';
import { toolCallSchema } from '../message/model.ts';
import { stageSchema } from '../base/stage.ts';
import { tokenSchema } from '../base/tokens.ts';

export const SUSPENSION_LIMITS = {
  defaultSeconds: 7 * 24 * 3_600,
  /** A longer request is a failure instead of being shortened: the run would end earlier than its processor expects. */
  maxSeconds: 30 * 24 * 3_600,
  /** Maximum size of a payload as JSON, in UTF-16 code units. */
  maxPayloadChars: 32 * 1024,
  /** Maximum size of an answer. */
  maxDataChars: 64 * 1024,
  /** The state of a suspended run outlives its expiry by this time. */
  graceSeconds: 24 * 3_600,
} as const;

/**
 * Maximum length of a call's arguments in a payload, in UTF-16 code units of JSON. The suspension stores the full
 * arguments separately.
 */
const MAX_SHOWN_CHARS = 16 * 1024;
/** Of longer arguments: inside of JSON, quotation marks and backslashes take two code units each. */
const MAX_CUT_CHARS = MAX_SHOWN_CHARS / 2;

/** Returns the arguments as a payload may show them: longer ones are cut to the beginning of their JSON. */
export function cutArgs(args: JsonValue): JsonValue {
  const text = JSON.stringify(args);
  return text.length <= MAX_SHOWN_CHARS ? args : `${text.slice(0, MAX_CUT_CHARS).toWellFormed()}…`;
}

export const suspendedForSchema = z
  .number()
  .int()
  .positive()
  .optional()
  .describe('time limit for the answer in s; default: 7 days, maximum: 30 days');

/**
 * approval: answered by an operator only. question: answered by the caller, which receives its token. The agent's
 * definition decides.
 */
export const pendingKindSchema = z.enum(['approval', 'question']);
export type PendingKind = z.infer<typeof pendingKindSchema>;

/** A pending item. `payload` is worded by the processor or tool that suspended: untrusted text. */
export const pendingSchema = z.object({
  id: tokenSchema,
  kind: pendingKindSchema,
  by: tokenSchema.describe('the entry that suspended, or the tool'),
  stage: stageSchema.optional().describe('absent: the tool itself suspended'),
  toolCall: toolCallSchema.optional().describe('the call of a tool stage, or of a tool'),
  payload: jsonValueSchema.optional().describe('absent: the output chain rejected it'),
  expiresAt: z.string().describe('ISO 8601'),
  clientCall: z
    .number()
    .int()
    .min(0)
    .optional()
    .describe(
      'number of the call within its run: the caller executes it with `args` of the payload, and answers with {output} or {error}',
    ),
});
export type Pending = z.infer<typeof pendingSchema>;

/** A settled call of a tool of the caller, as its question has shown it. */
export const settledCallSchema = pendingSchema.pick({ id: true, by: true, clientCall: true, payload: true });

/** A token opens one pending question or approval, once. */
export const resumeTokenSchema = z.string().min(1).max(128);

/** The form for operators, and for the caller of a question. */
export const openPendingSchema = pendingSchema.extend({ resumeToken: resumeTokenSchema });
export type OpenPending = z.infer<typeof openPendingSchema>;

/** The form in the chunk `suspended`. */
export const shownPendingSchema = pendingSchema.extend({ resumeToken: resumeTokenSchema.optional() });
export type ShownPending = z.infer<typeof shownPendingSchema>;

/** The pending items of suspended runs: separate from the head, which is read for every page of a replay. */
export const suspensionSchema = z.object({
  runId: tokenSchema,
  agent: tokenSchema,
  epoch: z.number().int().min(1),
  suspendedAt: z.string().describe('ISO 8601'),
  pending: z.array(openPendingSchema),
});
export type Suspension = z.infer<typeof suspensionSchema>;

/** An approval of a call with other arguments. */
export const editedAnswerSchema = z.object({
  data: jsonValueSchema.describe('the answer, which approves the call'),
  args: jsonObjectSchema.describe('replace the arguments of the waiting call'),
});
export type EditedAnswer = z.infer<typeof editedAnswerSchema>;

/**
 * The outer `data` of an answer with edited arguments: a version that ignores `edited` denies the call, instead of
 * calling the tool with the arguments that were replaced.
 */
export const DENIED_UNEDITED = {
  approved: false,
  reason: 'the arguments were edited, and this version does not support that',
};

/** Answer to a pending item: given once. */
export const resumptionSchema = z.object({
  resumeId: tokenSchema.describe('id of the request: a repeated request is the same resumption'),
  data: jsonValueSchema,
  edited: editedAnswerSchema.optional(),
  held: z.boolean().optional().describe('every request for the answer has `hold`: none publishes a resume command'),
  repeated: z.boolean().optional().describe('a further request has found the answer: the first request keeps it'),
});
export type Resumption = z.infer<typeof resumptionSchema>;

/** Message of the timer at the end of a suspension. */
export const expirySchema = z.object({ tenant: tokenSchema, runId: tokenSchema, epoch: z.number().int().min(1) });
export type Expiry = z.infer<typeof expirySchema>;

/** Answer to an approval. Every other answer denies, because an unclear one must not approve. */
const approvalSchema = z.object({ approved: z.boolean(), reason: z.string().optional() });
/** Maximum length of the shown reason, in UTF-16 code units. */
const MAX_REASON_CHARS = 500;

/** Returns the reason for which the answer does not approve the call; undefined if it approves. @param answer of any shape */
export function findDenial(answer: unknown): string | undefined {
  const decision = approvalSchema.safeParse(answer).data;
  if (decision?.approved) return undefined;
  const reason = decision?.reason?.slice(0, MAX_REASON_CHARS);
  return reason ? `Not approved: ${reason}` : 'Not approved.';
}
