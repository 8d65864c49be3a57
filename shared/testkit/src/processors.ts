// A test's own processors, served as any service serves its own, in the test's process.
import { serveProcessors, type ProcessorDefinition } from '@millrace/processor';
import { z } from 'zod';
import type { TestNats } from './nats.ts';
import { useService, type TestService } from './service.ts';

/** Call it behind useNats. @param name the service's name; two groups of processors are neighbours only within one service */
export function useProcessors(
  nats: TestNats,
  definitions: readonly ProcessorDefinition[],
  name = 'test-processors',
): TestService {
  return useService(
    {
      name,
      version: '0.1.0',
      config: z.object({ ONLY: z.string().optional() }),
      start: async ({ bus, resources, config }) => {
        const only = 'ONLY' in config && typeof config.ONLY === 'string' ? config.ONLY.split(',') : undefined;
        serveProcessors({
          bus,
          resources,
          version: '0.1.0',
          description: 'processors of a test',
          definitions,
          only,
          drainGraceMs: 1_000,
        });
      },
    },
    () => ({ NATS_URL: nats.url }),
  );
}

export { defineProcessor, type Processor, type ProcessorDefinition } from '@millrace/processor';
