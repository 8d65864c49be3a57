// A thread that never says that it has started.
import { parentPort } from 'node:worker_threads';

parentPort?.on('message', () => undefined);
