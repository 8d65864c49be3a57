// `npm start` on a checkout that nobody else uses: the stack, the demo agent, the tour or the one answer, and the end of it all.
import { EXIT_CODES, exitOfError } from '@millrace/cli';
import { shownAddress } from '@millrace/contracts';
import { createResources, type Resources } from '@millrace/service';
import { answerOnce } from './answer-once.ts';
import { applyAgentFile } from './apply-agent-file.ts';
import type { Arguments } from './arguments.ts';
import type { Environment } from './backing-servers.ts';
import { openClient } from './open-client.ts';
import { removeStack, writeStack } from './stack-file.ts';
import { startLocalStack, type LocalStack } from './local-stack.ts';
import type { StateDir } from './state-dir.ts';
import { addressLines, errorText, portsOf, usageLines } from './tell-people.ts';
import { showTour } from './tour.ts';

export const DEMO_AGENT = 'demo';

/** Services drain and servers write what they hold; each has a bound of its own, and this is the bound of them all. */
const STOP_MS = 60_000;

export type ServeOptions = {
  arguments: Exclude<Arguments, { command: 'help' }>;
  checkout: string;
  agentFile: string;
  state: StateDir;
  env: Environment;
  /** Ends it, at whatever point it is. */
  signal: AbortSignal;
  /** Progress and addresses. */
  say: (line: string) => void;
  /** What went wrong. */
  report: (line: string) => void;
  /** The answer of --once. */
  answer: (text: string) => void;
  /** Gives the checkout back. */
  releaseClaim: () => Promise<void>;
};

/** Resolves with the exit code, once everything is stopped. */
export async function serveStack(options: ServeOptions): Promise<number> {
  const { signal, say, report } = options;
  const resources = createResources();
  resources.add('claim', options.releaseClaim);
  try {
    return await serve(options, resources);
  } catch (error) {
    // What was under way when a stop was asked for ends with an error: that is no failure, but no answer either.
    if (signal.aborted) return options.arguments.command === 'once' ? EXIT_CODES.interrupted.code : 0;
    report(errorText(error));
    return EXIT_CODES[exitOfError(error)].code;
  } finally {
    if (signal.aborted) say('Stopping.');
    for (const { name, error } of await resources.release(STOP_MS)) report(`${name} was not stopped: ${String(error)}`);
  }
}

async function serve(options: ServeOptions, resources: Resources): Promise<number> {
  const { arguments: args, state, signal, say } = options;
  const startedAt = new Date();
  say('Starting Millrace.');
  const stack = await startLocalStack({ ...options, resources });
  const client = await openClient(stack.servers.nats.url, options.env);
  resources.add('client', () => client.close());
  await unlessDown(stack, applyAgentFile({ client, ...options }));
  await writeStack(state.stackFile, {
    natsUrl: shownAddress(stack.servers.nats.url),
    pid: process.pid,
    ports: portsOf(stack),
    services: stack.services.map(({ name }) => name),
    startedAt: startedAt.toISOString(),
  });
  resources.add('stack.json', () => removeStack(state.stackFile));
  addressLines(stack, state).forEach(say);
  say(`Up in ${((Date.now() - startedAt.getTime()) / 1_000).toFixed(1)} s; the agent "${DEMO_AGENT}" is applied.`);

  if (args.command === 'once')
    return unlessDown(stack, answerOnce({ client, agent: DEMO_AGENT, text: args.text, ...options }));
  if (args.tour) {
    const resourceId = `tour-${startedAt.getTime()}`;
    await unlessDown(stack, showTour({ client, agent: DEMO_AGENT, resourceId, say, signal }));
  }
  say('');
  const { url } = stack.servers.nats;
  usageLines(DEMO_AGENT, shownAddress(url) !== url).forEach(say);
  await aborted(signal);
  return 0;
}

/** A service that stays down is a reason to stop waiting for what needs it. */
function unlessDown<T>({ gaveUp }: LocalStack, work: Promise<T>): Promise<T> {
  return Promise.race([
    work,
    gaveUp.then((reason): never => {
      throw new Error(reason);
    }),
  ]);
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
