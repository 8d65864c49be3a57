// The options of every guard that can ask a model.
import { modelIdSchema } from '@millrace/contracts';
import { z } from 'zod';

const DEFAULT_TIMEOUT_MS = 15_000;
/** Of a stage call that asks a model, as long as the orchestrator waits for one by default. */
const MAX_TIMEOUT_MS = 120_000;

const WHEN = ['doubt', 'always'] as const;
export type When = (typeof WHEN)[number];

export const modelOption = modelIdSchema
  .optional()
  .describe('the model that judges, a router id such as openai/gpt-5-mini; absent: the rules alone judge');
export const modelTimeoutOption = z
  .number()
  .int()
  .min(1)
  .max(MAX_TIMEOUT_MS)
  .default(DEFAULT_TIMEOUT_MS)
  .describe(
    'how long one answer of the model is waited for, its retries included, ms; longer is a failure of the guard',
  );
/** @param usual what the option is where nothing is said */
export const whenOption = (usual: When) =>
  z
    .enum(WHEN)
    .default(usual)
    .describe('doubt: the model is asked only where the rules leave a doubt; always: of every text');
