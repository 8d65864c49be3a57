// A service with pass-through processors, which measures the cost of a hop without the cost of a processor. Also echoes
// raw requests for the baseline. NAMES: ids of the processors; the first is the service's name. DELAY_MS: delay per
// call or chunk. ABORTS=1: aborts after the delay. SERIAL=1: handles one call or chunk at a time, like a backend
// without concurrency.
import { defineProcessor, runProcessorService } from '@millrace/testkit/bench';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';

const [name = 'pass', ...others] = (process.env['NAMES'] ?? 'pass').split(',');
const delayMs = Number(process.env['DELAY_MS'] ?? '0');
const aborts = process.env['ABORTS'] === '1';
const isSerial = process.env['SERIAL'] === '1';

let turn: Promise<unknown> = Promise.resolve();
function work(): Promise<void> {
  if (!isSerial) return delay(delayMs);
  const mine = turn.then(() => delay(delayMs));
  turn = mine;
  return mine;
}

const pass = (id: string) =>
  defineProcessor({
    id,
    description: 'passes everything on',
    stages: ['processInput', 'processOutputStream'],
    reads: ['input'],
    options: z.strictObject({}),
    create: () => ({
      id,
      processInput: ({ abort }) => {
        if (delayMs > 0) return work().then(() => (aborts ? abort('stopped') : undefined));
        return undefined;
      },
      processOutputStream: async ({ part }) => {
        if (delayMs > 0) await work();
        return part;
      },
    }),
  });

await runProcessorService({
  name,
  version: '0.1.0',
  processors: [name, ...others].map(pass),
  open({ bus }) {
    // A subject of the service, so that its permissions allow it.
    bus.nc.subscribe(bus.subjects.tool(name, 'echo'), {
      queue: 'bench',
      callback: (_error, message) => void message.respond(message.data),
    });
    return {};
  },
});
