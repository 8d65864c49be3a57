// Defines one public verb.
import type { z } from 'zod';

/** `run`: the subject ends in a run id. */
export const defineVerb = <I extends z.ZodType, O extends z.ZodType>(request: I, answer: O, run = false) => ({
  request,
  answer,
  run,
});
