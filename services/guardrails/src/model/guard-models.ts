// Models for guards. The service configures the provider; a processor's options name a model.
import { MillraceError } from '@millrace/contracts';
import type { Models } from '@millrace/models';

export type GuardModels = Pick<Models, 'generateObject'>;

/** Models of a replica without a provider: rules work, and calls of a model fail. */
export const NO_MODELS: GuardModels = {
  generateObject: ({ model }) =>
    Promise.reject(
      new MillraceError('model-call-failed', `${model} is unavailable: the service has no model provider.`, {
        remedy: 'Set OPENAI_API_KEY or OPENAI_BASE_URL for the service guardrails.',
      }),
    ),
};
