// A worker that never reports its start.
import { parentPort } from 'node:worker_threads';

parentPort?.on('message', () => undefined);
