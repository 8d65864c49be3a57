// A NATS server and a stack in a process of their own, which outlives a test file: `node shared-stack-main.ts orchestrator tools`. It writes
// one line of JSON to stdout when the stack is up, and ends the stack when its stdin ends: with the worker that started it.
import { mkdtemp, rm } from 'node:fs/promises';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startNats } from '@millrace/servers';
import { createBusUsers } from './bus-users.ts';
import { startServiceHost } from './service-host.ts';
import { startStack } from './start-stack.ts';

const storeDir = await mkdtemp(join(tmpdir(), 'millrace-shared-'));
const { keys, config } = await createBusUsers();
const nats = await startNats({ storeDir, extraConfig: config });
try {
  const stack = await startStack({
    natsUrl: nats.url,
    keys,
    services: process.argv.slice(2),
    host: startServiceHost(),
  });
  process.stdout.write(`${JSON.stringify({ url: nats.url, keys, modelUrl: stack.modelUrl })}\n`);
  await once(process.stdin.resume(), 'end');
  await stack.stop();
} finally {
  await nats.stop();
  for (const dir of [storeDir, keys]) await rm(dir, { recursive: true, force: true });
}
