// The program of a thread: one job after the other, judges kept by their options.
import { parentPort } from 'node:worker_threads';
import { outcomeOf, type Judge, type TaskRequest } from './task-outcome.ts';
import { prepareTask } from './tasks.ts';
import type { ThreadAnswer } from './thread-pool.ts';

/** Compiling phrases and keywords takes longer than most texts. */
const MAX_JUDGES = 32;
const judges = new Map<string, Judge<unknown>>();

function judgeFor({ task, options }: TaskRequest): Judge<unknown> {
  const key = `${task} ${JSON.stringify(options)}`;
  const known = judges.get(key);
  if (known) return known;
  const judge = prepareTask(task, options);
  if (judges.size >= MAX_JUDGES) judges.delete(judges.keys().next().value ?? '');
  judges.set(key, judge);
  return judge;
}

function answerTo(request: TaskRequest): ThreadAnswer {
  try {
    return { answer: outcomeOf(judgeFor(request), request.texts) };
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) };
  }
}

parentPort?.on('message', (request: TaskRequest) => {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
  parentPort?.postMessage(answerTo(request));
});
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
parentPort?.postMessage('ready');
