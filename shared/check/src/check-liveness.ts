// Checks that the replica survived earlier input: it answers its ping, and a call or a session.
import { srvPingSchema } from '@millrace/contracts';
import { ask } from './ask.ts';
import { fail } from './rule-error.ts';
import { judgeOrError } from './judge.ts';
import { listCalledStages } from './rule.ts';
import { STREAM, sendOpen, buildSessionOpen } from './session-open.ts';
import { MAX_WAIT_MS, type CheckTarget } from './target.ts';

/** @param after description of that input. @throws BrokenError */
export async function checkAlive(target: CheckTarget, after: string): Promise<void> {
  const { bus, service, replica, optionSets } = target;
  const isFinal = ({ json }: { json: unknown }) => srvPingSchema.safeParse(json).success;
  const ping = await ask(bus, `$SRV.PING.${service}.${replica}`, '', { timeoutMs: MAX_WAIT_MS, isFinal });
  if (ping.end !== 'final') fail(`the replica ${replica} does not answer its ping after ${after}`);
  const [options = {}] = optionSets;
  const [stage] = listCalledStages(target);
  const stillServes = stage
    ? judgeOrError(target, stage, { options, replica, timeoutMs: MAX_WAIT_MS })
    : sendOpen(target, buildSessionOpen(target, { options, chunks: [], end: true }), replica);
  await stillServes.catch((error: unknown) =>
    fail(
      `${stage ?? STREAM} is not served any more after ${after}: ${error instanceof Error ? error.message : String(error)}`,
    ),
  );
}
