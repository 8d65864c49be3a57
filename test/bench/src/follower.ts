// FOLLOWERS readers of SUBJECT on CONNECTIONS connections. Prints a line when all of them are subscribed.
import { connectBus } from '@millrace/testkit/bench';

const { NATS_URL = '', SUBJECT = '', CONNECTIONS = '1', FOLLOWERS = '1' } = process.env;
const connections = Number(CONNECTIONS);
const buses = await Promise.all(
  Array.from({ length: connections }, (_, at) => connectBus({ servers: NATS_URL, name: `follower-${at}` })),
);
for (let count = 0; count < Number(FOLLOWERS); count += 1)
  buses[count % connections]?.nc.subscribe(SUBJECT, { callback: () => undefined });
await Promise.all(buses.map((bus) => bus.nc.flush()));
process.stdout.write('listening\n');
