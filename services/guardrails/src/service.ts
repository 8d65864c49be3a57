// What the service guardrails is: a host for the processors that judge what goes in and comes out.
import { createModels } from '@millrace/models';
import { processorService } from '@millrace/processor';
import { configSchema } from './config.ts';
import { createProcessors } from './processors.ts';
import { createGuardStore, NO_STORE } from './store/guard-store.ts';
import { closeThreads } from './work/task.ts';

export const guardrailsService = processorService({
  name: 'guardrails',
  version: '0.1.0',
  description: 'Guards: they judge, redact and refuse what goes into a run and what comes out of it.',
  config: configSchema,
  open: async ({ resources, config, log }) => {
    resources.add('threads', closeThreads);
    const { apiKey, baseUrl, redisUrl } = config;
    if (apiKey === undefined && baseUrl === undefined) {
      log.warn('without OPENAI_API_KEY or OPENAI_BASE_URL no model judges: what names one fails');
    }
    if (redisUrl === undefined) {
      log.warn(
        'without REDIS_URL response-cache keeps nothing, and cost-guard counts the costs of a run alone: more than that fails',
      );
    }
    const store = redisUrl === undefined ? NO_STORE : createGuardStore(redisUrl, log);
    resources.add('store', () => store.close());
    return { processors: createProcessors(createModels({ apiKey: apiKey ?? 'none', baseUrl }), store) };
  },
});
