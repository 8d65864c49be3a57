// Checks schemas of callers in a thread of their own: a caller chooses the time that the compilation takes, and the event
// loop drives all runs of this orchestrator. One thread compiles one schema after the other; it starts with the first
// schema and ends with the process. The results are remembered.
import { Worker } from 'node:worker_threads';
import { MillraceError, type JsonSchema } from '@millrace/contracts';
import { z } from 'zod';

export type SchemaChecker = {
  /** Returns the problem of the schema, or undefined if it is valid. @throws queue-full, timeout */
  check(schema: JsonSchema): Promise<string | undefined>;
};
export type SchemaCheckerOptions = { module?: URL; maxWaiting?: number; maxWaitMs?: number };

/** Maximum number of schemas that wait for the thread. */
const MAX_WAITING = 32;
/** A compilation ends after half a second; a busy machine starts a thread in a few seconds. */
const MAX_WAIT_MS = 10_000;
/** Maximum number of remembered schemas. */
const MAX_KNOWN = 500;
const RETRY_AFTER_MS = 1_000;

const answerSchema = z.object({ job: z.number(), problem: z.string().optional() });
type WaitingCheck = { settle(problem: string | undefined): void; fail(error: Error): void };

export function createSchemaChecker(options: SchemaCheckerOptions = {}): SchemaChecker {
  const { module = new URL('schema-thread.ts', import.meta.url) } = options;
  const { maxWaiting = MAX_WAITING, maxWaitMs = MAX_WAIT_MS } = options;
  const known = new Map<string, string | undefined>();
  const waiting = new Map<number, WaitingCheck>();
  let thread: Worker | undefined;
  let last = 0;
  const stopThread = (failed: Worker) => {
    if (thread !== failed) return;
    thread = undefined;
    void failed.terminate();
    for (const { fail } of waiting.values()) fail(createTimeout());
    waiting.clear();
  };
  const startThread = (): Worker => {
    const started = new Worker(module, { resourceLimits: { maxOldGenerationSizeMb: 256 } });
    started.on('message', (message) => {
      const { job, problem } = answerSchema.parse(message);
      waiting.get(job)?.settle(problem);
      waiting.delete(job);
    });
    started.on('error', () => stopThread(started));
    started.on('exit', () => stopThread(started));
    started.unref();
    return started;
  };
  return {
    async check(schema) {
      const key = JSON.stringify(schema);
      if (known.has(key)) return known.get(key);
      if (waiting.size >= maxWaiting) throw createQueueError(maxWaiting);
      const { promise, resolve, reject } = Promise.withResolvers<string | undefined>();
      thread ??= startThread();
      const own = thread;
      last += 1;
      waiting.set(last, { settle: resolve, fail: reject });
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
      own.postMessage({ job: last, schema });
      const timer = setTimeout(() => stopThread(own), maxWaitMs);
      const problem = await promise.finally(() => clearTimeout(timer));
      if (known.size >= MAX_KNOWN) known.clear();
      known.set(key, problem);
      return problem;
    },
  };
}

const createTimeout = (): MillraceError =>
  new MillraceError('timeout', 'The schema was not checked in time.', {
    path: 'structuredOutput.schema',
    remedy: 'Submit the run again.',
  });

const createQueueError = (limit: number): MillraceError =>
  new MillraceError('queue-full', `${limit} schemas wait to be checked.`, {
    path: 'structuredOutput.schema',
    remedy: 'Submit the run again later.',
    retryAfterMs: RETRY_AFTER_MS,
  });
