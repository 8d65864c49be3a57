// A test's own processors, served as any service serves its own, in the test's process.
import { processorService, type ProcessorDefinition, type Tool } from '@millrace/processor';
import type { TestNats } from './nats.ts';
import { useService, type TestService } from './service.ts';

/** Call it after useNats. @param name the service's name; two groups of processors are adjacent only within one service */
export function useProcessors(
  nats: TestNats,
  processors: readonly ProcessorDefinition[],
  name = 'test-processors',
  tools: readonly Tool[] = [],
): TestService {
  const description = 'processors of a test';
  return useService(processorService({ name, version: '0.1.0', description, processors, tools }), () => ({
    NATS_URL: nats.url,
  }));
}

export { defineProcessor, defineTool, type Processor, type ProcessorDefinition } from '@millrace/processor';
