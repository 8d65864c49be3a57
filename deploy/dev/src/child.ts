// Runs a service's main.ts as a child of `npm start`: node child.ts MAIN. The service knows nothing of it.
//
// The parent holds the other end of an IPC channel. However the parent dies, SIGKILL included, the system closes it, and the
// service then drains as it does on SIGTERM: no orphan holds a port or a database when the stack is started again.
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

/** How long a service without a parent may take to drain. The servers it talks to are ending too, so it may never succeed. */
const ORPHAN_GRACE_MS = 3_000;

const [main = ''] = process.argv.slice(2);

function endWithoutParent(): void {
  setTimeout(() => process.exit(1), ORPHAN_GRACE_MS).unref();
  process.kill(process.pid, 'SIGTERM');
}

if (process.connected) {
  process.once('disconnect', endWithoutParent);
  // Listening must not keep a service alive that has ended.
  process.channel?.unref();
  await import(pathToFileURL(resolve(main)).href);
} else {
  process.stderr.write('child.ts is started by npm start alone: it ends with its parent, and there is none.\n');
  process.exitCode = 1;
}
