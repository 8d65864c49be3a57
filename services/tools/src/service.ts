// What the service tools is: a host for the tools that ship with Millrace.
import { advertiseService, serveTools } from '@millrace/processor';
import type { ServiceContext, ServiceDefinition } from '@millrace/service';
import { z } from 'zod';
import { calculator } from './calculator/calculator.ts';
import { createClock } from './clock.ts';

const VERSION = '0.1.0';

const configSchema = z.object({
  TOOLS: z
    .string()
    .transform((list) => list.split(',').map((name) => name.trim()))
    .optional()
    .describe('the tools that this replica serves, by name, separated by commas; all where absent'),
});

export const toolsService = {
  name: 'tools',
  version: VERSION,
  config: configSchema,
  start: async ({ bus, config, resources }: ServiceContext<z.output<typeof configSchema>>) => {
    const endpoints = serveTools({
      bus,
      resources,
      tools: [calculator, createClock(() => new Date())],
      only: config.TOOLS,
      drainGraceMs: config.DRAIN_GRACE_MS,
    });
    advertiseService({
      bus,
      resources,
      version: VERSION,
      description: 'Tools that a model can call: a calculator and a clock.',
      endpoints,
    });
  },
} satisfies ServiceDefinition<typeof configSchema>;
