// A test's own processors, served as any service serves its own, in the test's process.
import { processorService, type ProcessorDefinition, type Tool } from '@millrace/processor';
import { locateSeedFile } from '@millrace/bus';
import type { NatsAddress } from '../servers/bus.ts';
import { defineMethods } from '../stages/define-methods.ts';
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
export const passingProcessor = (
  id: string,
  stages: readonly ('processInput' | 'processOutputStream')[] = ['processInput'],
): ProcessorDefinition =>
  defineMethods(
    id,
    {
      processInput: () => undefined,
      ...(stages.includes('processOutputStream') && { processOutputStream: ({ part }) => part }),
    },
    { stages: [...stages], description: 'lets everything pass' },
  );

export { defineProcessor, defineTool, type Processor, type ProcessorDefinition } from '@millrace/processor';
