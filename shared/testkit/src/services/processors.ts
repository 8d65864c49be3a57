// A test's own processors, served as any service serves its own, in the test's process.
import type { Chunk } from '@millrace/contracts';
import { defineProcessor, processorService, type ProcessorDefinition, type Tool } from '@millrace/processor';
import { locateSeedFile } from '@millrace/bus';
import { z } from 'zod';
import type { NatsAddress } from '../servers/bus.ts';
import { useService, type TestService } from './service.ts';

/**
 * Call it after useNats. The service connects as a developer, if the server has keys of roles: it has the permissions of a processor that
 * is not shipped.
 * @param name the service's name; two groups of processors are adjacent only within one service
 */
export function useProcessors(
  nats: NatsAddress,
  processors: readonly ProcessorDefinition[],
  name = 'test-processors',
  tools: readonly Tool[] = [],
): TestService {
  const description = 'processors of a test';
  return useService(processorService({ name, version: '0.1.0', description, processors, tools }), () => ({
    NATS_URL: nats.url,
    ...(nats.keys !== undefined && { NATS_NKEY_FILE: locateSeedFile(nats.keys, 'developer') }),
  }));
}

/** Passes everything. @param stages include the second one to process a stream */
export function passingProcessor(
  id: string,
  stages: readonly ('processInput' | 'processOutputStream')[] = ['processInput'],
): ProcessorDefinition {
  return defineProcessor({
    id,
    description: 'lets everything pass',
    stages: [...stages],
    reads: [],
    options: z.strictObject({}),
    create: () => ({
      id,
      processInput: () => undefined,
      ...(stages.includes('processOutputStream') && { processOutputStream: async ({ part }: { part: Chunk }) => part }),
    }),
  });
}

export { defineProcessor, defineTool, type Processor, type ProcessorDefinition } from '@millrace/processor';
