// A process that holds a checkout's claim and has written its stack.json, for tests that kill it: claiming-main.ts DIRECTORY
import { claimStack } from '../claim-stack.ts';
import { writeStack } from '../stack-file.ts';
import { locateStateDir } from '../state-dir.ts';

const [root = ''] = process.argv.slice(2);
const state = locateStateDir(root);
const { kind } = await claimStack(state);
await writeStack(state.stackFile, {
  natsUrl: 'nats://127.0.0.1:4222',
  pid: process.pid,
  ports: {},
  services: [],
  startedAt: new Date().toISOString(),
});
process.stdout.write(`${kind}\n`);
setInterval(() => {}, 1_000);
