// A service with one or more processors that pass everything on: what a hop costs, without what a processor costs. Also echoes
// raw requests, for the baseline. NAMES: the processors' ids; the first is the service's name. DELAY_MS: how long each takes over
// what it is given. ABORTS=1: it stops what comes in, after that time. SERIAL=1: one thing after the other, as where the work is somebody
// else's who takes one at a time.
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
    bus.nc.subscribe('bench.echo', {
      queue: 'bench',
      callback: (_error, message) => void message.respond(message.data),
    });
    return {};
  },
});
