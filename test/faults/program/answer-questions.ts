// Follows a run to its end and answers its questions while it is suspended.
import { setTimeout as delay } from 'node:timers/promises';
import { MillraceError, type RunResult } from '@millrace/contracts';
import type { Client, Run } from '@millrace/client';

/**
 * A question is asked once, and again only if an owner was lost in between. An answer with a lost reply waits for the
 * next owner, which can take until the ack wait: until then the run's status is suspended.
 */
const ANSWER_WITHIN_MS = 100_000;
const ASK_AGAIN_MS = 500;

export async function answerQuestions(client: Client, run: Run, afterMs: number): Promise<RunResult | undefined> {
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

/** Undefined: an answer with a lost reply was accepted; one without an effect is sent again. */
async function answer(run: Run): Promise<Run | undefined> {
  const chunks = await Array.fromAsync(run.fullStream);
  const asked = chunks.findLast(({ type }) => type === 'suspended');
  const token = asked?.type === 'suspended' ? asked.payload.resumeToken : undefined;
  if (token === undefined) return undefined;
  return run.answer(token, { said: 'yes' }).catch(undefinedIfCoded);
}

/** A follower that starts during an outage of NATS fails after ten seconds and retries. */
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
