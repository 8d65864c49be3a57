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
    current = (await answer(current)) ?? (await followAgain(client, current.runId, giveUpAt));
  }
  return undefined;
}

/** Undefined: an answer whose reply was lost has been taken; one that nobody heard is given again. */
async function answer(run: Run): Promise<Run | undefined> {
  const chunks = await Array.fromAsync(run.fullStream);
  const asked = chunks.findLast(({ type }) => type === 'suspended');
  const token = asked?.type === 'suspended' ? asked.payload.resumeToken : undefined;
  if (token === undefined) return undefined;
  return run.answer(token, { said: 'yes' }).catch(undefinedIfCoded);
}

/** Who begins to read while NATS is away is told so after ten seconds, and tries again. */
async function followAgain(client: Client, runId: string, giveUpAt: number): Promise<Run> {
  for (;;) {
    const run = await client.follow(runId).catch(undefinedIfCoded);
    if (run) return run;
    if (performance.now() > giveUpAt) throw new Error(`${runId} could not be followed any more.`);
    await delay(ASK_AGAIN_MS);
  }
}

function undefinedIfCoded(error: unknown): undefined {
  if (!MillraceError.isInstance(error)) throw error;
}
