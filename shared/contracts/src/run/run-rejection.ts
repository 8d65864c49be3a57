// Defines endings of runs that retract output.
import { z } from 'zod';
import { wireErrorSchema } from '../base/errors.ts';
import { tripwireSchema } from './run.ts';

const count = z.number().int().min(0);

/**
 * A retraction by a stage that ended the run: its step, or everything; `from` is the index of the first retracted
 * chunk.
 */
const takenBackSchema = z.object({ what: z.enum(['step', 'run']), from: count });

/** An ending that retracts output. It is decided once: after a takeover the next owner ends the run in the same way. */
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
