// The faulty guards of the cases, as a service of its own.
import { defineProcessor, runProcessorService } from '@millrace/processor';
import { z } from 'zod';

const options = z.strictObject({});
const fail = (): never => {
  throw new TypeError('the guard has a fault');
};

const inputThrows = defineProcessor({
  id: 'input-throws',
  description: 'Throws at each input.',
  stages: ['processInput'],
  reads: ['input'],
  options,
  create: () => ({ processInput: fail }),
});
const streamThrows = defineProcessor({
  id: 'stream-throws',
  description: 'Throws at each chunk of text.',
  stages: ['processOutputStream'],
  reads: [],
  options,
  create: () => ({ processOutputStream: async ({ part }) => (part.type === 'text-delta' ? fail() : part) }),
});
const guardKilled = defineProcessor({
  id: 'guard-killed',
  description: 'Kills its process while it judges.',
  stages: ['processInput'],
  reads: ['input'],
  options,
  create: () => ({
    processInput: () => {
      process.kill(process.pid, 'SIGKILL');
    },
  }),
});

await runProcessorService({
  name: 'faulty-guards',
  version: '0.1.0',
  description: 'Guards with a fault.',
  processors: [inputThrows, streamThrows, guardKilled],
});
