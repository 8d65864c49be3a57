// What the service guardrails is: a host for the processors that judge what goes in and comes out. It keeps nothing.
import { serveProcessors } from '@millrace/processor';
import type { ServiceContext, ServiceDefinition } from '@millrace/service';
import { z } from 'zod';
import { PROCESSORS } from './processors.ts';

const VERSION = '0.1.0';

const configSchema = z.object({
  PROCESSORS: z
    .string()
    .transform((list) => list.split(',').map((id) => id.trim()))
    .optional()
    .describe('the processors that this replica serves, by id, separated by commas; all where absent'),
});

export const guardrailsService = {
  name: 'guardrails',
  version: VERSION,
  config: configSchema,
  start: async ({ bus, config, resources }: ServiceContext<z.output<typeof configSchema>>) => {
    serveProcessors({
      bus,
      resources,
      version: VERSION,
      description: 'Guards: they judge, redact and refuse what goes into a run and what comes out of it.',
      definitions: PROCESSORS,
      only: config.PROCESSORS,
      drainGraceMs: config.DRAIN_GRACE_MS,
    });
  },
} satisfies ServiceDefinition<typeof configSchema>;
