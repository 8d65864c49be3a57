// A thread for tests: answers what it is asked, but for `loop`, which it never comes back from, and `break`, which ends it.
import { parentPort } from 'node:worker_threads';

parentPort?.on('message', (job: unknown) => {
  // oxlint-disable-next-line no-empty -- a text that hangs a guard, as short as can be
  if (job === 'loop') for (;;) {}
  if (job === 'break') process.exit(1);
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
  parentPort?.postMessage(job === 'refuse' ? { error: 'refused' } : { answer: job });
});
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
parentPort?.postMessage('ready');
