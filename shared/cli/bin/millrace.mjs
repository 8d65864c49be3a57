#!/usr/bin/env node
// The command in a checkout: runs the sources with the pinned Node.js. The published package has a built program instead.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

const pinned = join(import.meta.dirname, '../../../node_modules/.bin/node');
const program = join(import.meta.dirname, '../src/main.ts');
const child = spawn(existsSync(pinned) ? pinned : process.execPath, [program, ...process.argv.slice(2)], {
  stdio: 'inherit',
});
// A terminal sends SIGINT to both processes, and the child decides when the command ends.
process.on('SIGINT', () => undefined);
for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
child.on('exit', (code, signal) => {
  if (signal === null) process.exit(code ?? 1);
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
});
