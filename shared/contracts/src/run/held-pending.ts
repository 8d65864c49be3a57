// Defines a pending item as the state of its run holds it.
import { z } from 'zod';
import { jsonValueSchema } from '../base/json.ts';
import { stageInputSchema } from '../stage/stage-call.ts';
import { editedAnswerSchema, openPendingSchema } from '../chunk/suspension.ts';

/** A pending item of the run. It remains until the stage or tool that suspended has resumed with the answer. */
export const heldPendingSchema = openPendingSchema.extend({
  position: z.number().int().min(0).optional().describe('index of the call in the answer'),
  policy: z
    .literal('untrusted')
    .optional()
    .describe('the question is that of the orchestrator: untrusted content precedes the call'),
  kept: stageInputSchema
    .omit({ conversation: true })
    .partial()
    .describe('changes by the preceding entries to the stage’s input'),
  told: z.object({ payload: jsonValueSchema.optional() }).optional().describe('it has been asked, with this payload'),
  resumed: z.object({ data: jsonValueSchema, edited: editedAnswerSchema.optional() }).optional(),
});
export type HeldPending = z.infer<typeof heldPendingSchema>;
