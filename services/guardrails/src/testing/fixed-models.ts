// Models whose verdict depends on the text alone, so that a guard which asks one can be held to the same result for every cut.
import type { GuardModels } from '../model/guard-models.ts';

/** Takes texts with "vile" for hateful, and "Ada" for a name. */
export const FIXED_MODELS: GuardModels = {
  generateObject: ({ schema, prompt }) =>
    Promise.resolve(
      schema['title'] === 'moderation'
        ? { scores: { hate: prompt.includes('vile') ? 1 : 0 } }
        : { found: prompt.includes('Ada') ? [{ type: 'name', value: 'Ada' }] : [] },
    ),
};
