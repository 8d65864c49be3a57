// Defines dead letters: a run that lost too many orchestrators or has an unreadable state, or a save to a store that did
// not recover. They are stored so that an operator can retry them.
import { z } from 'zod';
import { wireErrorSchema } from '../base/errors.ts';
import { putOffSaveSchema } from './deferred-save.ts';
import { storedRequestSchema } from './run.ts';
import { tokenSchema } from '../base/tokens.ts';

const common = {
  tenant: tokenSchema,
  runId: tokenSchema,
  agent: tokenSchema,
  at: z.string().describe('ISO 8601'),
  error: wireErrorSchema,
  retriedAs: tokenSchema.optional().describe('the run that repeats it'),
};
export const deadLetterSchema = z.discriminatedUnion('what', [
  z.object({ what: z.literal('run'), ...common, request: storedRequestSchema }),
  z.object({ what: z.literal('save'), ...common, save: putOffSaveSchema }),
]);
export type DeadLetter = z.infer<typeof deadLetterSchema>;

/** The form that operators see. */
export const shownDeadLetterSchema = z.object({
  what: z.enum(['run', 'save']),
  ...common,
  entries: z.array(tokenSchema).optional().describe('of a save: the memories that have not saved'),
});
export type ShownDeadLetter = z.infer<typeof shownDeadLetterSchema>;

export function toShownDeadLetter(letter: DeadLetter): ShownDeadLetter {
  const { what, tenant, runId, agent, at, error, retriedAs } = letter;
  const shown = { what, tenant, runId, agent, at, error, ...(retriedAs !== undefined && { retriedAs }) };
  return letter.what === 'save' ? { ...shown, entries: letter.save.entries } : shown;
}
