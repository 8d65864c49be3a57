// Whether what was sent has ended the replica: it answers its ping, and a call or a session.
import { srvPingSchema } from '@millrace/contracts';
import { ask } from './ask.ts';
import { broken } from './broken.ts';
import { judgeOrError } from './judge.ts';
import { calledStages } from './rule.ts';
import { STREAM, openOf, sessionOpenOf } from './session-open.ts';
import { MAX_WAIT_MS, type Target } from './target.ts';

/** @param after what it was sent, for people. @throws BrokenError */
export async function holdAlive(target: Target, after: string): Promise<void> {
  const { bus, service, replica, optionSets } = target;
  const isFinal = ({ json }: { json: unknown }) => srvPingSchema.safeParse(json).success;
  const ping = await ask(bus, `$SRV.PING.${service}.${replica}`, '', { timeoutMs: MAX_WAIT_MS, isFinal });
  if (ping.end !== 'final') broken(`the replica ${replica} does not answer its ping after ${after}`);
  const [options = {}] = optionSets;
  const [stage] = calledStages(target);
  const stillServes = stage
    ? judgeOrError(target, stage, { options, replica, timeoutMs: MAX_WAIT_MS })
    : openOf(target, sessionOpenOf(target, { options, chunks: [], end: true }), replica);
  await stillServes.catch((error: unknown) =>
    broken(
      `${stage ?? STREAM} is not served any more after ${after}: ${error instanceof Error ? error.message : String(error)}`,
    ),
  );
}
