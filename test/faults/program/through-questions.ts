// Follows a run to its end: where it is put away, what it asks is answered.
import { setTimeout as delay } from 'node:timers/promises';
import { MillraceError, type RunResult } from '@millrace/contracts';
import type { Client, Run } from '@millrace/client';

/**
 * A question is asked once; more often only where an owner was lost in between. An answer that was taken while its reply was lost waits for
 * the next owner, who may come after the ack wait: the run says until then that it is suspended.
 */
const ANSWER_WITHIN_MS = 100_000;
const ASK_AGAIN_MS = 500;

export async function throughQuestions(client: Client, run: Run, afterMs: number): Promise<RunResult | undefined> {
  let current = run;
  const giveUpAt = performance.now() + ANSWER_WITHIN_MS;
  for (let waitMs = afterMs; performance.now() < giveUpAt; waitMs = Math.max(afterMs, ASK_AGAIN_MS)) {
    const result = await current.result();
    if (result.status !== 'suspended') return result;
    await delay(waitMs);
    current = await answer(client, current);
  }
  return undefined;
}

async function answer(client: Client, run: Run): Promise<Run> {
  const chunks = await Array.fromAsync(run.fullStream);
  const asked = chunks.findLast(({ type }) => type === 'suspended');
  const token = asked?.type === 'suspended' ? asked.payload.resumeToken : undefined;
  try {
    if (token !== undefined) return await run.answer(token, { said: 'yes' });
  } catch (error) {
    // An answer whose reply was lost has been taken; one that nobody heard is given again.
    if (!MillraceError.isInstance(error)) throw error;
  }
  return client.follow(run.runId);
}
