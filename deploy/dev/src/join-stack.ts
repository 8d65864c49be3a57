// `npm start` where a stack runs in this checkout already: --once is answered by it; otherwise it is said how to reach it.
import { setTimeout as pause } from 'node:timers/promises';
import { shownAddress } from '@millrace/contracts';
import { answerOnce } from './answer-once.ts';
import type { Environment } from './backing-servers.ts';
import { claimStack, type Claim } from './claim-stack.ts';
import { openClient } from './open-client.ts';
import { DEMO_AGENT, type ServeOptions } from './serve-stack.ts';
import type { Stack } from './stack-file.ts';
import { runsAlreadyLines } from './tell-people.ts';

type Taken = Extract<Claim, { kind: 'taken' }>;
export type JoinOptions = Omit<ServeOptions, 'releaseClaim'>;

/** As long as a cold start may take. */
const STARTING_TIMEOUT_MS = 60_000;
const POLL_INTERVAL_MS = 100;

/** Resolves with the exit code: not 0 where there was nothing to do, so that a script does not take it for its own stack. */
export async function joinStack(taken: Taken, options: JoinOptions): Promise<number> {
  const { arguments: args, env, report } = options;
  if (args.command === 'serve') {
    runsAlreadyLines(taken.stack, DEMO_AGENT).forEach(report);
    return 1;
  }
  const stack = taken.stack ?? (await untilServing(options));
  if (stack === undefined) {
    report(`The stack that another npm start began in this checkout does not serve. Stop it and try again.`);
    return 1;
  }
  const client = await openClient(addressOf(stack, env), env);
  try {
    return await answerOnce({ client, agent: DEMO_AGENT, text: args.text, ...options });
  } finally {
    await client.close();
  }
}

async function untilServing({ state, signal }: JoinOptions): Promise<Taken['stack']> {
  const deadline = performance.now() + STARTING_TIMEOUT_MS;
  while (performance.now() < deadline) {
    const claim = await claimStack(state);
    if (claim.kind === 'ours') {
      await claim.release();
      return undefined;
    }
    if (claim.stack) return claim.stack;
    await pause(POLL_INTERVAL_MS, undefined, { signal });
  }
  return undefined;
}

/** stack.json has no credentials: where the environment names the same server, it has them. */
function addressOf({ natsUrl }: Stack, { NATS_URL: named }: Environment): string {
  return named && shownAddress(named) === natsUrl ? named : natsUrl;
}
