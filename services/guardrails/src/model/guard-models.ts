// The models that guards ask. They come from the service, which knows the provider; a processor's options name one of them.
import { MillraceError } from '@millrace/contracts';
import type { Models } from '@millrace/models';

export type GuardModels = Pick<Models, 'generateObject'>;

/** For a replica that asks nobody: the rules judge, and what needs a model is a failure. */
export const NO_MODELS: GuardModels = {
  generateObject: ({ model }) =>
    Promise.reject(
      new MillraceError('model-call-failed', `${model} was not asked: there is no model provider here.`, {
        remedy: 'Set OPENAI_API_KEY or OPENAI_BASE_URL for the service guardrails.',
      }),
    ),
};
