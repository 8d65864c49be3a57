// Runs the scripted processor as a program with named quirks, for --start.
import { setTimeout as wait } from 'node:timers/promises';
import { connectBus } from '@millrace/bus';
import type { Quirks } from './wire-violations.ts';
import { scriptProcessor } from './scripted-processor.ts';

const [id = 'scripted', quirk = 'none'] = process.argv.slice(2);
const QUIRKS: Readonly<Record<string, Quirks>> = {
  none: {},
  'without-queue': { withoutQueue: true },
  idle: { withoutSharedSubject: true },
};
/** Longer than the time limit for a replica to leave. */
const SLOW_END_MS = 4_000;
const bus = await connectBus({ servers: process.env['NATS_URL'] ?? '', name: id });
const processor = await scriptProcessor(bus, id, QUIRKS[quirk] ?? {});
process.on('SIGTERM', () => {
  if (quirk === 'abrupt') process.exit(0);
  if (quirk === 'slow-end') answerPings();
  void processor
    .drain()
    .then(() => (quirk === 'slow-end' ? wait(SLOW_END_MS) : undefined))
    .then(() => bus.close())
    .then(() => process.exit(0));
});

/** Continues after its drain until its process ends. */
function answerPings(): void {
  const told = { type: 'io.nats.micro.v1.ping_response', name: id, id: bus.id, version: '1.0.0', metadata: {} };
  bus.nc.subscribe(`$SRV.PING.${id}.${bus.id}`, {
    callback: (_error, message) => void message.respond(JSON.stringify(told)),
  });
}
