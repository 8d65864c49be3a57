// Owns a nats-server for tests that kill the owner: starts it in the given directory, prints its pid, and keeps
// running.
import { startNats } from '../start/start-nats.ts';

const [storeDir = ''] = process.argv.slice(2);
const server = await startNats({ storeDir });
process.stdout.write(`${JSON.stringify({ serverPid: server.pid })}\n`);
