// Answers of the verbs that an orchestrator accepts before their effect: a submission, and the answer of a pending item.
import { z } from 'zod';
import { tokenSchema } from '../base/tokens.ts';

export const submittedSchema = z.object({
  runId: tokenSchema,
  accepted: z.literal(true),
  created: z
    .boolean()
    .optional()
    .describe('this submission has created the run: a client that listened before it misses no chunk'),
});

export const answeredSchema = z.object({
  runId: tokenSchema,
  accepted: z.literal(true),
  epoch: z
    .number()
    .int()
    .min(1)
    .optional()
    .describe('epoch of the suspension: its last chunk no longer ends the run, although readers may still receive it'),
});
