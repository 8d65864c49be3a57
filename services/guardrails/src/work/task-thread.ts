// Worker program: runs one job after the other and caches judges by their options.
import { parentPort } from 'node:worker_threads';
import { setBounded } from '@millrace/contracts';
import { prepareTask, runJudge, type TaskJudge, type TaskRequest } from './define-task.ts';
import type { ThreadAnswer } from './thread-pool.ts';

/** Maximum number of cached judges. Compiling phrases and keywords takes longer than judging most texts. */
const MAX_JUDGES = 32;
const judges = new Map<string, TaskJudge<unknown>>();

async function judgeFor({ module, options }: TaskRequest): Promise<TaskJudge<unknown>> {
  const key = `${module} ${JSON.stringify(options)}`;
  const known = judges.get(key);
  if (known) return known;
  const judge = await prepareTask(module, options);
  setBounded(judges, key, judge, MAX_JUDGES);
  return judge;
}

async function answerTo(request: TaskRequest): Promise<ThreadAnswer> {
  try {
    return { answer: runJudge(await judgeFor(request), request.texts) };
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) };
  }
}

parentPort?.on('message', (request: TaskRequest) => {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
  void answerTo(request).then((answer) => parentPort?.postMessage(answer));
});
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
parentPort?.postMessage('ready');
