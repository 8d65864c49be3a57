// A process that owns a nats-server, for tests that kill the owner: starts it on the directory given, says its pid, goes on.
import { startNats } from '../start-nats.ts';

const [storeDir = ''] = process.argv.slice(2);
const server = await startNats({ storeDir });
process.stdout.write(`${JSON.stringify({ serverPid: server.pid })}\n`);
