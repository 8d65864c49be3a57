// A service with one or more processors that pass everything on: what a hop costs, without what a processor costs. Also echoes
// raw requests, for the baseline. NAMES: the processors' ids; the first is the service's name.
import { defineProcessor, runProcessorService } from '@millrace/testkit/bench';
import { z } from 'zod';

const [name = 'pass', ...others] = (process.env['NAMES'] ?? 'pass').split(',');

const pass = (id: string) =>
  defineProcessor({
    id,
    description: 'passes everything on',
    stages: ['processInput', 'processOutputStream'],
    reads: ['input'],
    options: z.strictObject({}),
    create: () => ({ id, processInput: () => undefined, processOutputStream: async ({ part }) => part }),
  });

await runProcessorService({
  name,
  version: '0.1.0',
  processors: [name, ...others].map(pass),
  open({ bus }) {
    bus.nc.subscribe('bench.echo', {
      queue: 'bench',
      callback: (_error, message) => void message.respond(message.data),
    });
    return {};
  },
});
