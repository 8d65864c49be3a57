// Configures the service guardrails, which hosts the processors that judge input and output.
import { chooseProvider, createModels, providerEnvironmentSchema, readProviders } from '@millrace/models';
import { processorService } from '@millrace/processor';
import { readEndpointConfigs } from './endpoints/endpoint-config.ts';
import { createGuardEndpoints, NO_ENDPOINTS } from './endpoints/guard-endpoints.ts';
import { createGuardModels } from './model/guard-models.ts';
import { createProcessors } from './processors.ts';
import { redisAccessSchema } from '@millrace/stores';
import { forgetCached } from './shape/response-cache/forget-cached.ts';
import { createGuardStore, NO_STORE } from './store/guard-store.ts';
import { closeThreads } from './work/task.ts';
import { z } from 'zod';

/**
 * Provider of the guards' models, which may differ from the agents' provider, and the Redis of cost-guard and
 * response-cache.
 */
const guardsSchema = z
  .object({
    OPENAI_API_KEY: z.string().optional(),
    OPENAI_BASE_URL: z.url().optional(),
    GUARD_API_KEY: z.string().optional().describe('API key of GUARD_BASE_URL.'),
    GUARD_BASE_URL: z
      .url()
      .optional()
      .describe('Base URL of the OpenAI-compatible server used by guards. Default: OPENAI_BASE_URL.'),
    HTTP_GUARDS: z
      .string()
      .optional()
      .describe('Path of the JSON file that defines the endpoints of http-guard. If absent, its calls fail.'),
    REDIS_URL: z
      .string()
      .regex(/^rediss?:\/\//, 'must begin with redis:// or rediss://')
      .optional()
      .describe('Redis of cost-guard and response-cache. If absent, their calls fail by their policy.'),
  })
  .transform((env) => ({
    ...chooseProvider(
      { apiKey: env.GUARD_API_KEY, baseUrl: env.GUARD_BASE_URL },
      { apiKey: env.OPENAI_API_KEY, baseUrl: env.OPENAI_BASE_URL },
    ),
    redisUrl: env.REDIS_URL,
    httpGuards: env.HTTP_GUARDS,
  }));
const configSchema = z.intersection(z.intersection(guardsSchema, redisAccessSchema), providerEnvironmentSchema);

export const guardrailsService = processorService({
  name: 'guardrails',
  version: '0.1.0',
  description: 'Guards: judge, redact and reject the input and output of a run.',
  config: configSchema,
  open: async ({ resources, config, log }) => {
    resources.add('threads', closeThreads);
    const { apiKey, baseUrl, redisUrl, redisAccess: access, httpGuards } = config;
    const providers = await readProviders(config);
    if (apiKey === undefined && baseUrl === undefined && providers.size === 0)
      log.warn('no model provider: calls with the option model fail; set OPENAI_API_KEY or OPENAI_BASE_URL');
    if (redisUrl === undefined) {
      log.warn(
        'no REDIS_URL: response-cache stores nothing, and cost-guard supports only the scope run; other scopes fail',
      );
    }
    const store = redisUrl === undefined ? NO_STORE : createGuardStore({ url: redisUrl, access }, log);
    resources.add('store', () => store.close());
    const endpoints =
      httpGuards === undefined ? NO_ENDPOINTS : createGuardEndpoints(await readEndpointConfigs(httpGuards), { log });
    resources.add('endpoints', () => endpoints.close());
    const models = createGuardModels(createModels({ apiKey, baseUrl, providers }), {
      onUsage: (usage) => log.info(usage, 'model call of a guard'),
    });
    return {
      processors: createProcessors(models, store, endpoints, log),
      forget: (request) => forgetCached(redisUrl === undefined ? undefined : store, request),
    };
  },
});
