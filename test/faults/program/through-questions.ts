// Follows a run to its end: where it is put away, what it asks is answered.
import { setTimeout as delay } from 'node:timers/promises';
import { MillraceError, type RunResult } from '@millrace/contracts';
import type { Client, Run } from '@millrace/client';

/** A question is asked once; more often only where an owner was lost in between. */
const MAX_ANSWERS = 10;

export async function throughQuestions(client: Client, run: Run, afterMs: number): Promise<RunResult | undefined> {
  let current = run;
  for (let answers = 0; answers < MAX_ANSWERS; answers += 1) {
    const result = await current.result();
    if (result.status !== 'suspended') return result;
    await delay(afterMs);
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
