// The scripted processor as a program of its own, with the quirks that it is told by name: what --start starts.
import { connectBus } from '@millrace/bus';
import type { Quirks } from './quirks.ts';
import { scriptProcessor } from './scripted-processor.ts';

const [id = 'scripted', quirk = 'none'] = process.argv.slice(2);
const QUIRKS: Readonly<Record<string, Quirks>> = {
  none: {},
  idle: { withoutSharedSubject: true },
  'without-closing': { withoutClosing: true },
};
const bus = await connectBus({ servers: process.env['NATS_URL'] ?? '', name: id });
const processor = await scriptProcessor(bus, id, QUIRKS[quirk] ?? {});
process.on('SIGTERM', () => {
  if (quirk === 'abrupt') process.exit(0);
  void processor
    .drain()
    .then(() => bus.close())
    .then(() => process.exit(0));
});
