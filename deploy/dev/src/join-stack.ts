// Implements `npm start` if a stack runs in this checkout already: it answers --once; otherwise the addresses are
// printed.
import { setTimeout as pause } from 'node:timers/promises';
import { hideAddressParts } from '@millrace/contracts';
import { answerOnce } from './answer-once.ts';
import type { StackEnvironment } from './backing-servers.ts';
import { claimStack, type StackClaim } from './claim-stack.ts';
import { openClient, type NatsAddress } from './open-client.ts';
import { DEMO_AGENT, type ServeStackOptions } from './serve-stack.ts';
import type { StackFile } from './stack-file.ts';
import { formatRunningStack } from './startup-output.ts';

type TakenStack = Extract<StackClaim, { kind: 'taken' }>;
export type JoinOptions = Omit<ServeStackOptions, 'releaseClaim'>;

/** As long as a cold start may take. */
const STARTING_TIMEOUT_MS = 60_000;
const POLL_INTERVAL_MS = 100;

/**
 * Resolves with the exit code: not 0 if nothing was started, so that a script does not mistake the stack for its own.
 */
export async function joinStack(taken: TakenStack, options: JoinOptions): Promise<number> {
  const { arguments: args, env, report } = options;
  if (args.command === 'serve') {
    formatRunningStack(taken.stack, DEMO_AGENT).forEach(report);
    return 1;
  }
  const stack = taken.stack ?? (await waitUntilServing(options));
  if (stack === undefined) {
    report(`The stack that another npm start began in this checkout does not serve. Stop it and try again.`);
    return 1;
  }
  const client = await openClient(describeAddress(stack, env), env);
  try {
    return await answerOnce({ client, agent: DEMO_AGENT, text: args.text, ...options });
  } finally {
    await client.close();
  }
}

async function waitUntilServing({ state, signal }: JoinOptions): Promise<TakenStack['stack']> {
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

/** stack.json has no credentials: they are read from the environment if it names the same server. */
function describeAddress({ natsUrl, keys }: StackFile, { NATS_URL: named }: StackEnvironment): NatsAddress {
  const isNamed = named !== undefined && named !== '' && hideAddressParts(named) === natsUrl;
  return { url: isNamed ? named : natsUrl, keys, isOurs: !isNamed && keys !== undefined };
}
