// A run that is put away: what it waits for, who may answer that, and how long. docs/semantics.md, "Suspension".
import { z } from 'zod';
import { jsonValueSchema } from './json.ts';
import { toolCallSchema } from './model.ts';
import { stageSchema } from './stage.ts';
import { tokenSchema } from './tokens.ts';

export const SUSPENSION_LIMITS = {
  defaultSeconds: 7 * 24 * 3_600,
  /** Who asks for more gets a failure, not less: the run would end earlier than its processor believes. */
  maxSeconds: 30 * 24 * 3_600,
  /** Of what is asked, as JSON, UTF-16 code units. */
  maxPayloadChars: 32 * 1024,
  /** Of what is answered. */
  maxDataChars: 64 * 1024,
  /** The state of a run that is put away outlives its expiry by this. */
  graceSeconds: 24 * 3_600,
} as const;

export const suspendedForSchema = z
  .number()
  .int()
  .positive()
  .optional()
  .describe('how long the answer is waited for, s; 7 days if absent, 30 at most');

/** approval: answered by an operator alone. question: the caller's own, who is given its token. The agent's definition says which. */
export const pendingKindSchema = z.enum(['approval', 'question']);
export type PendingKind = z.infer<typeof pendingKindSchema>;

/** One thing that a run waits for. `payload` is worded by whoever suspended: untrusted text. */
export const pendingSchema = z.object({
  id: tokenSchema,
  kind: pendingKindSchema,
  by: tokenSchema.describe('the entry that suspended, or the tool'),
  stage: stageSchema.optional().describe('absent: the tool itself suspended'),
  toolCall: toolCallSchema.optional().describe('of a tool stage, or of a tool'),
  payload: jsonValueSchema.optional().describe('absent: the output chain did not let it through'),
  expiresAt: z.string().describe('ISO 8601'),
});
export type Pending = z.infer<typeof pendingSchema>;

/** A token opens one pending question or approval, once. */
export const resumeTokenSchema = z.string().min(1).max(128);

/** As operators are shown it, and as the caller is shown a question. */
export const openPendingSchema = pendingSchema.extend({ resumeToken: resumeTokenSchema });
export type OpenPending = z.infer<typeof openPendingSchema>;

/** In the chunk `suspended`. */
export const shownPendingSchema = pendingSchema.extend({ resumeToken: resumeTokenSchema.optional() });
export type ShownPending = z.infer<typeof shownPendingSchema>;

/** What is asked for runs that are put away: an entry of its own beside the head, which is read for every page of a replay. */
export const suspensionSchema = z.object({
  runId: tokenSchema,
  agent: tokenSchema,
  epoch: z.number().int().min(1),
  suspendedAt: z.string().describe('ISO 8601'),
  pending: z.array(openPendingSchema),
});
export type Suspension = z.infer<typeof suspensionSchema>;

/** What something pending was answered with: written once. */
export const resumptionSchema = z.object({
  resumeId: tokenSchema.describe('of the question that brought it: the same again is the same'),
  data: jsonValueSchema,
});
export type Resumption = z.infer<typeof resumptionSchema>;

/** What comes when a suspension has lasted its time. */
export const expirySchema = z.object({ tenant: tokenSchema, runId: tokenSchema, epoch: z.number().int().min(1) });
export type Expiry = z.infer<typeof expirySchema>;
