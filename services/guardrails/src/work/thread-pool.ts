// A few threads that do what would hold up the event loop. A job that is given up, or takes too long, ends with its thread: what
// runs without a pause cannot be interrupted in any other way. Threads start with the first job and end when they are idle.
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { MillraceError } from '@millrace/contracts';

type JobOptions = {
  /** What the job weighs in the queue: characters. */
  cost: number;
  signal: AbortSignal;
};
export type ThreadPool = {
  /** What the thread answered. @throws processor-timeout: given up, too long, or too much is waiting */
  run(job: unknown, options: JobOptions): Promise<unknown>;
  /** Ends the threads; their jobs fail. */
  close(): Promise<void>;
};
/** What a thread says: that it has started, once; then an answer to each job. */
export type ThreadAnswer = { answer: unknown } | { error: string };
type ThreadMessage = ThreadAnswer | 'ready';

export type ThreadPoolOptions = { module: URL; size?: number; maxJobMs?: number; maxStartMs?: number; idleMs?: number };

/** One long message must not keep the next one waiting; more threads than cores would only take turns. */
const POOL_SIZE = Math.max(2, Math.min(4, availableParallelism() - 1));
/** A stage call is given up earlier, by its own limit; this ends what nobody gives up. */
const MAX_JOB_MS = 10_000;
/** A fraction of a second; a machine that is busy with others takes its time. */
const MAX_START_MS = 60_000;
const IDLE_MS = 60_000;
/** Of all jobs that wait, characters. */
const MAX_WAITING_COST = 33_554_432;
/** A thread that needs more has met a text that no guard was made for; it fails alone. */
const MAX_HEAP_MB = 1_024;

type Job = { job: unknown; cost: number; resolve(answer: unknown): void; reject(error: Error): void };
/** `isReady`: it has said so, and can be given a job. */
type Thread = {
  worker: Worker;
  isReady: boolean;
  job?: Job | undefined;
  limit?: NodeJS.Timeout;
  idle?: NodeJS.Timeout;
};

export function createThreadPool(options: ThreadPoolOptions): ThreadPool {
  const { module, size = POOL_SIZE, maxJobMs = MAX_JOB_MS, maxStartMs = MAX_START_MS, idleMs = IDLE_MS } = options;
  const threads = new Set<Thread>();
  let waiting: Job[] = [];
  let ended: Promise<unknown> = Promise.resolve();

  function next(): void {
    const thread = [...threads].find(({ isReady, job }) => isReady && !job);
    const job = thread && waiting.shift();
    if (!thread || !job) return startForThoseWhoWait();
    clearTimeout(thread.idle);
    thread.job = job;
    thread.limit = setTimeout(() => end(thread, tooLong(maxJobMs)), maxJobMs).unref();
    thread.worker.ref();
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
    thread.worker.postMessage(job.job);
    next();
  }
  /** A job that is given up meanwhile leaves the thread alone: on a busy machine none would ever come to its end. */
  function startForThoseWhoWait(): void {
    if (waiting.length > startingThreads() && threads.size < size) start();
  }
  const startingThreads = (): number => [...threads].filter(({ isReady }) => !isReady).length;
  function start(): void {
    const worker = new Worker(module, { resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB } });
    const limit = setTimeout(() => end(thread, notStarted(maxStartMs)), maxStartMs).unref();
    const thread: Thread = { worker, isReady: false, limit };
    worker.on('message', (message: ThreadMessage) => {
      if (message === 'ready') ready(thread);
      else done(thread, message);
    });
    worker.on('error', (error) => end(thread, error instanceof Error ? error : new Error(String(error))));
    worker.on('exit', () => {
      if (threads.has(thread)) end(thread, new Error('The thread that judged the text has ended.'));
    });
    threads.add(thread);
  }
  function ready(thread: Thread): void {
    clearTimeout(thread.limit);
    thread.isReady = true;
    rest(thread);
    next();
  }
  /** A process does not live on for a thread that has nothing to do. */
  function rest(thread: Thread): void {
    thread.worker.unref();
    thread.idle = setTimeout(() => end(thread, new Error('idle')), idleMs).unref();
  }
  function done(thread: Thread, answer: ThreadAnswer): void {
    clearTimeout(thread.limit);
    const { job } = thread;
    thread.job = undefined;
    rest(thread);
    if ('answer' in answer) job?.resolve(answer.answer);
    else job?.reject(new Error(answer.error));
    next();
  }
  function end(thread: Thread, why: Error): void {
    clearTimeout(thread.limit);
    clearTimeout(thread.idle);
    threads.delete(thread);
    // One that does not even start fails who waits for it: the next one would not start either.
    const job = thread.isReady ? thread.job : waiting.shift();
    job?.reject(why);
    thread.job = undefined;
    ended = Promise.all([ended, thread.worker.terminate()]);
    next();
  }
  function giveUp(job: Job): void {
    waiting = waiting.filter((other) => other !== job);
    const thread = [...threads].find((other) => other.job === job);
    if (thread) end(thread, givenUp());
    else job.reject(givenUp());
  }
  return {
    async run(job, { cost, signal }) {
      if (signal.aborted) throw givenUp();
      // Those that a starting thread will take do not wait for others.
      if (waiting.slice(startingThreads()).reduce((sum, other) => sum + other.cost, cost) > MAX_WAITING_COST)
        throw tooMuch();
      const { promise, resolve, reject } = Promise.withResolvers<unknown>();
      const entry: Job = { job, cost, resolve, reject };
      const abort = () => giveUp(entry);
      signal.addEventListener('abort', abort);
      waiting.push(entry);
      next();
      return promise.finally(() => signal.removeEventListener('abort', abort));
    },
    async close() {
      for (const job of waiting.splice(0)) job.reject(givenUp());
      for (const thread of threads) end(thread, givenUp());
      await ended;
    },
  };
}

const givenUp = () => new MillraceError('processor-timeout', 'The text was not judged: the call was given up.');
const tooLong = (maxJobMs: number) =>
  new MillraceError('processor-timeout', `The text was not judged within ${maxJobMs} ms.`, {
    remedy: 'Send less text in one message.',
  });
const notStarted = (maxStartMs: number) =>
  new MillraceError('processor-timeout', `The text was not judged: no thread started within ${maxStartMs} ms.`);
const tooMuch = () =>
  new MillraceError('processor-timeout', 'The text was not judged: too many long ones wait for their turn.', {
    remedy: 'Start another replica of the guards.',
  });
