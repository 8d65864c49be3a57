// Runs once, before the first worker: the servers are found or fetched here, so that workers do not all fetch into a cold cache.
// A machine that cannot have one says so in a line; the tests that need it then skip with the reason.
import { findNats, findRedis } from '@millrace/servers';

export async function setup(): Promise<void> {
  const programs = { 'nats-server': await findNats(), 'redis-server': await findRedis() };
  for (const [name, found] of Object.entries(programs)) {
    if (found.kind === 'unavailable') process.stderr.write(`${name} cannot be had here: ${found.reason}\n`);
  }
}
