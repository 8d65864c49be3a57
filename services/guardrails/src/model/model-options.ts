// Options of every guard that can use a model.
import { modelIdSchema } from '@millrace/contracts';
import { z } from 'zod';

const DEFAULT_TIMEOUT_MS = 15_000;
/** Maximum timeout, equal to the orchestrator's default timeout of a stage call with a model. */
const MAX_TIMEOUT_MS = 120_000;

/**
 * Policy of every guard that can use a model: with the option `model` the orchestrator waits for the model's answer in
 * addition to the guard's own 5 s.
 */
export const modelPolicy = { addedTimeout: { when: 'model', option: 'modelTimeoutMs' } };

const WHEN = ['doubt', 'always'] as const;
export type AskWhen = (typeof WHEN)[number];

export const modelOption = modelIdSchema
  .optional()
  .describe('Model that judges, as a router id such as openai/gpt-5-mini. Default: rules only.');
/** @param usual default of the option */
export const defineTimeoutOption = (usual: number = DEFAULT_TIMEOUT_MS) =>
  z
    .number()
    .int()
    .min(1)
    .max(MAX_TIMEOUT_MS)
    .default(usual)
    .describe(
      'Timeout of one model answer in milliseconds, including its retries. A timeout is a failure of the guard.',
    );
export const modelTimeoutOption = defineTimeoutOption();
/**
 * @param usual default of the option
 * @param doubt meaning of the value `doubt`
 */
export const defineWhenOption = (usual: AskWhen, doubt = 'call the model only if the rules are undecided') =>
  z.enum(WHEN).default(usual).describe(`doubt: ${doubt}. always: call it for every text.`);
