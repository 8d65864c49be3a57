// Runs `npm start` on an unused checkout: the stack, the demo agent, the tour or the single answer, and the shutdown.
import { once } from 'node:events';
import { EXIT_CODES, chooseExitForError } from '@millrace/cli';
import { hideAddressParts } from '@millrace/contracts';
import { createResources, type Resources } from '@millrace/service';
import { answerOnce } from './answer-once.ts';
import { applyAgentFile } from './apply-agent-file.ts';
import type { DevArguments } from './arguments.ts';
import type { StackEnvironment } from './backing-servers.ts';
import { buildConsole } from './build-console.ts';
import { openClient } from './open-client.ts';
import { serveControl } from './serve-control.ts';
import { removeStack, writeStack } from './stack-file.ts';
import { startLocalStack, type LocalStack } from './local-stack.ts';
import type { StateDir } from './state-dir.ts';
import { formatAddresses, formatError, listPorts, formatUsage } from './startup-output.ts';
import { showTour } from './tour.ts';

export const DEMO_AGENT = 'demo';

/** Services drain and servers flush, each within a bound of its own; this is the bound of all of them. */
const STOP_MS = 60_000;

export type ServeStackOptions = {
  arguments: Exclude<DevArguments, { command: 'help' }>;
  checkout: string;
  agentFile: string;
  state: StateDir;
  env: StackEnvironment;
  /** Stops the stack at any point of its start. */
  signal: AbortSignal;
  /** Progress and addresses. */
  printLine: (line: string) => void;
  /** The error that ended the stack. */
  report: (line: string) => void;
  /** The answer of --once. */
  answer: (text: string) => void;
  /** Gives the checkout back. */
  releaseClaim: () => Promise<void>;
};

/** Resolves with the exit code, once everything is stopped. */
export async function serveStack(options: ServeStackOptions): Promise<number> {
  const { signal, printLine, report } = options;
  const resources = createResources();
  resources.add('claim', options.releaseClaim);
  try {
    return await serve(options, resources);
  } catch (error) {
    // Work under way at a stop ends with an error: that is no failure, but no answer either.
    if (signal.aborted) return options.arguments.command === 'once' ? EXIT_CODES.interrupted.code : 0;
    report(formatError(error));
    return EXIT_CODES[chooseExitForError(error)].code;
  } finally {
    if (signal.aborted) printLine('Stopping.');
    for (const { name, error } of await resources.release(STOP_MS)) report(`${name} was not stopped: ${String(error)}`);
  }
}

async function serve(options: ServeStackOptions, resources: Resources): Promise<number> {
  const { arguments: args, state, signal, printLine } = options;
  const startedAt = new Date();
  printLine('Starting Millrace.');
  const stack = await startLocalStack({ ...options, resources, hasProcesses: args.hasProcesses });
  const client = await openClient(stack.servers.nats, options.env);
  resources.add('client', () => client.close());
  await raceWithFailure(stack, applyAgentFile({ client, ...options }));
  await writeStack(state.stackFile, {
    natsUrl: hideAddressParts(stack.servers.nats.url),
    ...(stack.servers.nats.webSocketUrl !== undefined && { webSocketUrl: stack.servers.nats.webSocketUrl }),
    pid: process.pid,
    ports: listPorts(stack),
    services: stack.services.map(({ name }) => name),
    ...(stack.servers.nats.keys !== undefined && { keys: stack.servers.nats.keys }),
    startedAt: startedAt.toISOString(),
  });
  resources.add('stack.json', () => removeStack(state.stackFile));
  const control = await serveControl(state.controlFile, stack.services);
  resources.add('control', () => control.close());
  formatAddresses(stack, state).forEach(printLine);
  printLine(
    `Up in ${((Date.now() - startedAt.getTime()) / 1_000).toFixed(1)} s; the agent "${DEMO_AGENT}" is applied.`,
  );

  if (args.command === 'once')
    return raceWithFailure(stack, answerOnce({ client, agent: DEMO_AGENT, text: args.text, ...options }));
  const build = buildConsole({ checkout: options.checkout, out: state.console, report: options.report });
  resources.add('build of the console', () => build.stop());
  if (args.tour) {
    const resourceId = `tour-${startedAt.getTime()}`;
    await raceWithFailure(stack, showTour({ client, agent: DEMO_AGENT, resourceId, printLine, signal }));
  }
  printLine('');
  const { url, keys } = stack.servers.nats;
  formatUsage(DEMO_AGENT, {
    url: hideAddressParts(url),
    gatewayUrl: stack.gatewayUrl,
    keys,
    hasCredentials: hideAddressParts(url) !== url,
  }).forEach(printLine);
  if (!signal.aborted) await once(signal, 'abort');
  return 0;
}

/** A service that stays down ends the wait of its dependents. */
function raceWithFailure<T>({ gaveUp }: LocalStack, work: Promise<T>): Promise<T> {
  return Promise.race([
    work,
    gaveUp.then((reason): never => {
      throw new Error(reason);
    }),
  ]);
}
