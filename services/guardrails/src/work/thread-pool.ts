// Runs jobs that would block the event loop on a few threads. An aborted or timed-out job ends with its thread, because
// synchronous code cannot be interrupted in any other way. Threads start with the first job and end after an idle time.
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { MillraceError } from '@millrace/contracts';

type JobOptions = {
  /** Cost of the job in the queue, in characters. */
  cost: number;
  signal: AbortSignal;
};
export type ThreadPool = {
  /** Returns the thread's answer. @throws processor-timeout: aborted, timed out, or the queue is full */
  run(job: unknown, options: JobOptions): Promise<unknown>;
  /** Ends the threads; their jobs fail. */
  close(): Promise<void>;
};
/** Message of a thread: `ready` once after its start, then one answer per job. */
export type ThreadAnswer = { answer: unknown } | { error: string };
type ThreadMessage = ThreadAnswer | 'ready';

export type ThreadPoolOptions = { module: URL; size?: number; maxJobMs?: number; maxStartMs?: number; idleMs?: number };

/** At least two threads, so that one long message does not delay the next; at most one per core. */
const POOL_SIZE = Math.max(2, Math.min(4, availableParallelism() - 1));
/** Maximum duration of a job without an abort. The stage call's timeout usually ends it earlier. */
const MAX_JOB_MS = 10_000;
/** Usually a fraction of a second; longer on a busy machine. */
const MAX_START_MS = 60_000;
const IDLE_MS = 60_000;
/** Maximum cost of all queued jobs, in characters. */
const MAX_WAITING_COST = 33_554_432;
/** Maximum heap of a thread. A text that exceeds it fails alone. */
const MAX_HEAP_MB = 1_024;

type Job = { job: unknown; cost: number; resolve(answer: unknown): void; reject(error: Error): void };
/** `isReady`: the thread has reported its start and accepts a job. */
type PoolThread = {
  worker: Worker;
  isReady: boolean;
  job?: Job | undefined;
  limit?: NodeJS.Timeout;
  idle?: NodeJS.Timeout;
};
/** `onFree` runs when the thread accepts a job; `onEnd` when it fails, exits or exceeds a limit. */
type ThreadEvents = { onFree(): void; onEnd(thread: PoolThread, error: Error): void };
type ThreadLimits = Required<Omit<ThreadPoolOptions, 'size'>>;

export function createThreadPool(options: ThreadPoolOptions): ThreadPool {
  const { module, size = POOL_SIZE, maxJobMs = MAX_JOB_MS, maxStartMs = MAX_START_MS, idleMs = IDLE_MS } = options;
  const limits: ThreadLimits = { module, maxJobMs, maxStartMs, idleMs };
  const threads = new Set<PoolThread>();
  let waiting: Job[] = [];
  let ended: Promise<unknown> = Promise.resolve();

  function dispatch(): void {
    const thread = [...threads].find(({ isReady, job }) => isReady && !job);
    const job = thread && waiting.shift();
    if (!thread || !job) return startForWaitingJobs();
    postJob(thread, job, limits, end);
    dispatch();
  }
  /** An abort does not end a starting thread: on a busy machine no thread would ever finish its start. */
  function startForWaitingJobs(): void {
    if (waiting.length > countStartingThreads() && threads.size < size)
      threads.add(startThread(limits, { onFree: dispatch, onEnd: end }));
  }
  const countStartingThreads = (): number => [...threads].filter(({ isReady }) => !isReady).length;
  function end(thread: PoolThread, why: Error): void {
    if (!threads.delete(thread)) return;
    clearTimeout(thread.limit);
    clearTimeout(thread.idle);
    // If a thread fails to start, its waiting job fails, because the next thread would fail too.
    const job = thread.isReady ? thread.job : waiting.shift();
    job?.reject(why);
    thread.job = undefined;
    ended = Promise.all([ended, thread.worker.terminate()]);
    dispatch();
  }
  function giveUp(job: Job): void {
    waiting = waiting.filter((other) => other !== job);
    const thread = [...threads].find((other) => other.job === job);
    if (thread) end(thread, createAbortError());
    else job.reject(createAbortError());
  }
  return {
    async run(job, { cost, signal }) {
      if (signal.aborted) throw createAbortError();
      // Jobs for starting threads do not count towards the queue.
      if (waiting.slice(countStartingThreads()).reduce((sum, other) => sum + other.cost, cost) > MAX_WAITING_COST)
        throw createQueueError();
      const { promise, resolve, reject } = Promise.withResolvers<unknown>();
      const entry: Job = { job, cost, resolve, reject };
      const abort = () => giveUp(entry);
      signal.addEventListener('abort', abort);
      waiting.push(entry);
      dispatch();
      return promise.finally(() => signal.removeEventListener('abort', abort));
    },
    async close() {
      for (const job of waiting.splice(0)) job.reject(createAbortError());
      for (const thread of threads) end(thread, createAbortError());
      await ended;
    },
  };
}

function startThread({ module, maxStartMs, idleMs }: ThreadLimits, { onFree, onEnd }: ThreadEvents): PoolThread {
  const worker = new Worker(module, { resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB } });
  const limit = setTimeout(() => onEnd(thread, createStartTimeout(maxStartMs)), maxStartMs).unref();
  const thread: PoolThread = { worker, isReady: false, limit };
  worker.on('message', (message: ThreadMessage) => {
    clearTimeout(thread.limit);
    if (message === 'ready') thread.isReady = true;
    else settleJob(thread, message);
    // An idle thread does not keep the process alive.
    worker.unref();
    thread.idle = setTimeout(() => onEnd(thread, new Error('idle')), idleMs).unref();
    onFree();
  });
  worker.on('error', (error) => onEnd(thread, error instanceof Error ? error : new Error(String(error))));
  worker.on('exit', () => onEnd(thread, new Error('The thread that judged the text has ended.')));
  return thread;
}

function postJob(thread: PoolThread, job: Job, { maxJobMs }: ThreadLimits, onEnd: ThreadEvents['onEnd']): void {
  clearTimeout(thread.idle);
  thread.job = job;
  thread.limit = setTimeout(() => onEnd(thread, createJobTimeout(maxJobMs)), maxJobMs).unref();
  thread.worker.ref();
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
  thread.worker.postMessage(job.job);
}

function settleJob(thread: PoolThread, answer: ThreadAnswer): void {
  const { job } = thread;
  thread.job = undefined;
  if ('answer' in answer) job?.resolve(answer.answer);
  else job?.reject(new Error(answer.error));
}

const createAbortError = () => new MillraceError('processor-timeout', 'The text was not judged: the call was aborted.');
const createJobTimeout = (maxJobMs: number) =>
  new MillraceError('processor-timeout', `The text was not judged within ${maxJobMs} ms.`, {
    remedy: 'Send less text in one message.',
  });
const createStartTimeout = (maxStartMs: number) =>
  new MillraceError('processor-timeout', `The text was not judged: no thread started within ${maxStartMs} ms.`);
const createQueueError = () =>
  new MillraceError('processor-timeout', 'The text was not judged: the queue of long texts is full.', {
    remedy: 'Start another replica of the guards.',
  });
