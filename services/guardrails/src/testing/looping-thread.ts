// A worker for tests that echoes its jobs, except `loop`, which never returns, and `break`, which ends the thread.
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
