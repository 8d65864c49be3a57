// A service for tests of its life: reports its steps on stderr and releases slowly.
import { serve } from '@millrace/bus';
import { z } from 'zod';
import { runService } from '../run-service.ts';

await runService({
  name: 'sample',
  version: '0.0.1',
  config: z.object({ SAMPLE_FAIL: z.string().optional() }),
  start: async ({ bus, config, resources }) => {
    const say = (line: string) => process.stderr.write(`${line}\n`);
    resources.add('first', () => void say('released first'));
    if (config.SAMPLE_FAIL) throw new Error(config.SAMPLE_FAIL);
    const answers = Promise.withResolvers<object>();
    const serving = serve(bus, {
      subject: 'sample.work',
      request: z.unknown(),
      handle: () => {
        say('working');
        return answers.promise;
      },
    });
    const finish = bus.nc.subscribe('sample.finish', { callback: () => answers.resolve({ done: true }) });
    resources.add('work', async () => {
      await serving.drain(10_000);
      finish.unsubscribe();
      say('released work');
    });
  },
});
