// A test's own processors, served as any service serves its own, in the test's process.
import { processorService, type ProcessorDefinition } from '@millrace/processor';
import type { TestNats } from './nats.ts';
import { useService, type TestService } from './service.ts';

/** Call it after useNats. @param name the service's name; two groups of processors are adjacent only within one service */
export function useProcessors(
  nats: TestNats,
  processors: readonly ProcessorDefinition[],
  name = 'test-processors',
): TestService {
  const description = 'processors of a test';
  return useService(processorService({ name, version: '0.1.0', description, processors }), () => ({
    NATS_URL: nats.url,
  }));
}

export { defineProcessor, type Processor, type ProcessorDefinition } from '@millrace/processor';
