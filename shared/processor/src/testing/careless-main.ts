// Runs a replica with a processor that causes an unhandled rejection. Started by processor-service.integration.test.ts.
import { z } from 'zod';
import { defineProcessor } from '../processor/processor-definition.ts';
import { runProcessorService } from '../processor-service.ts';

const careless = defineProcessor({
  id: 'careless',
  description: 'Lets go of promises.',
  stages: ['processInput'],
  reads: [],
  options: z.strictObject({}),
  create: () => ({
    processInput() {
      void Promise.reject(new Error('let go of'));
    },
  }),
});

await runProcessorService({ name: 'careless', version: '1.0.0', processors: [careless] });
