// Options that all guards share.
import { z } from 'zod';

export const responseOption = z
  .string()
  .optional()
  .describe(
    'Answer of a blocked run, for the strategy block. The run then completes with this text instead of a tripwire.',
  );

export const retriesOption = z
  .int()
  .min(0)
  .max(10)
  .default(2)
  .describe(
    'Maximum number of retries. The retry prompt includes the problem. The agent’s maxProcessorRetries also applies.',
  );

/** JSON Schema of "one of these lists is not empty", so that `agents apply` rejects options without any. */
export const requireOneList = (...names: readonly string[]) => ({
  anyOf: names.map((name) => ({ required: [name], properties: { [name]: { minItems: 1 } } })),
});
