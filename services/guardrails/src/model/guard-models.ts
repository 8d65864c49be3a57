// Models for guards. The service configures the provider; a processor's options name a model. All guards of a replica
// share one budget and one cache.
import { MillraceError } from '@millrace/contracts';
import type { Models } from '@millrace/models';
import { createAnswerCache, type AnswerCache } from './answer-cache.ts';
import { createModelBudget, type ModelBudget } from './model-budget.ts';

/** Tokens of one model call of a guard. A count is absent if the provider does not report it. */
export type GuardUsage = {
  tenant: string;
  runId: string;
  entry: string;
  model: string;
  inputTokens?: number | undefined;
  outputTokens?: number | undefined;
};

export type GuardModels = Pick<Models, 'generateObject'> & {
  budget: ModelBudget;
  answers: AnswerCache;
  onUsage(usage: GuardUsage): void;
};

/** @param parts absent: a budget and a cache of their own, and no report of the usage */
export function createGuardModels(
  { generateObject }: Pick<Models, 'generateObject'>,
  parts: Partial<Omit<GuardModels, 'generateObject'>> = {},
): GuardModels {
  return {
    generateObject,
    budget: createModelBudget(),
    answers: createAnswerCache(),
    onUsage: () => undefined,
    ...parts,
  };
}

/** Models of a replica without a provider: rules work, and calls of a model fail. */
export const NO_MODELS: GuardModels = createGuardModels({
  generateObject: ({ model }) =>
    Promise.reject(
      new MillraceError('model-call-failed', `${model} is unavailable: the service has no model provider.`, {
        remedy: 'Set OPENAI_API_KEY or OPENAI_BASE_URL for the service guardrails.',
      }),
    ),
});
