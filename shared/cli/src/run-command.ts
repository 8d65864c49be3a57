// `millrace run`, `follow` and `cancel`: one run, as it speaks.
import type { Run } from '@millrace/client';
import { jsonPrinter, textPrinter } from './answer-printer.ts';
import { cliCommand, jsonArg, withClient, type Cli } from './cli-command.ts';
import { note, say, type CliIo } from './cli-io.ts';
import { parseDuration } from './duration.ts';
import { EXIT_CODES, exitOfRun, type Exit } from './exit-codes.ts';
import { overrideArgs, overridesOf } from './override-args.ts';
import { reportError } from './report-error.ts';
import { UsageError } from './usage-error.ts';

/** nats-server of the local stack takes messages of 8 MiB. */
const MAX_INPUT_BYTES = 8 * 1024 * 1024;
/** Two signals within it are one Ctrl-C. */
const SAME_INTERRUPT_MS = 200;
/** How long the end of a cancelled run is waited for where nobody can press Ctrl-C. */
const CANCEL_WAIT_MS = 10_000;

const json = { json: { ...jsonArg.json, description: 'one chunk a line instead of the text' } } as const;
const runId = { type: 'positional', required: true, description: 'the id that `millrace run` printed' } as const;

export const runCommand = (cli: Cli) =>
  cliCommand(cli, {
    name: 'millrace run',
    description:
      'Send TEXT to an agent; its answer streams to stdout, all else goes to stderr. Ctrl-C cancels the run.',
    args: {
      agent: { type: 'positional', required: true, description: 'its name' },
      text: {
        type: 'positional',
        required: false,
        description: 'in quotes, after -- where it begins with -; left out or -, it is read from stdin',
      },
      thread: { type: 'string', description: 'the conversation; without one there is no memory' },
      resource: { type: 'string', description: 'who owns the thread (default: the thread itself)' },
      timeout: { type: 'string', description: 'how long the run may take, for example 30s (default: 10m)' },
      ...overrideArgs,
      ...json,
    },
    async run(args) {
      const deadlineMs = args.timeout === undefined ? undefined : parseDuration(args.timeout, '--timeout');
      const overrides = overridesOf(args, 'millrace run');
      const text = await textOf(cli.io, args.text);
      return withClient(cli.io, args, async (client) => {
        const interrupt = cancelOnInterrupt(cli.io);
        try {
          const { thread: threadId, resource: resourceId } = args;
          const options = { threadId, resourceId, deadlineMs, ...overrides, signal: interrupt.signal };
          const run = await client.start(args.agent, text, options);
          note(cli.io, `[run] ${run.runId}`);
          return await print(cli.io, run, args.json === true);
        } finally {
          interrupt.stop();
        }
      });
    },
  });

export const followCommand = (cli: Cli) =>
  cliCommand(cli, {
    name: 'millrace follow',
    description: 'Read a run from its start, also one that has ended. Ctrl-C leaves it alone.',
    args: { run: runId, ...json },
    run: (args) =>
      withClient(cli.io, args, async (client) => print(cli.io, await client.follow(args.run), args.json === true)),
  });

export const cancelCommand = (cli: Cli) =>
  cliCommand(cli, {
    name: 'millrace cancel',
    description: 'Ask for the end of a run; prints the status that it had.',
    args: { run: runId },
    run: (args) =>
      withClient(cli.io, args, async (client) => {
        say(cli.io, await client.runs.cancel(args.run));
      }),
  });

/** The chunks, then the outcome. Where chunks cannot be had the result still can. */
async function print(io: CliIo, run: Run, asJson: boolean): Promise<Exit> {
  const printer = asJson ? jsonPrinter(io) : textPrinter(io);
  try {
    for await (const chunk of run.positions) printer.chunk(chunk);
  } catch (error) {
    const result = await run.result().catch(() => {
      throw error;
    });
    reportError(io, error);
    printer.result(result);
    return exitOfRun(result.status);
  }
  const result = await run.result();
  printer.result(result);
  return exitOfRun(result.status);
}

/** A text in quotes, or what stdin has, without the line break at its end. */
async function textOf(io: CliIo, given: string | undefined): Promise<string> {
  if (given !== undefined && given !== '-') return given;
  if (given === undefined && io.stdin.isTerminal)
    throw new UsageError('say something: TEXT in quotes, or - to type it on stdin', 'millrace run');
  const text = (await io.stdin.read(MAX_INPUT_BYTES)).replace(/\r?\n$/, '');
  if (text === '') throw new UsageError('there is no text on stdin', 'millrace run');
  return text;
}

/** Ctrl-C, and a reader of the output who went away, cancel the run; what comes of it is still awaited, but not for ever. */
function cancelOnInterrupt(io: CliIo): { signal: AbortSignal; stop(): void } {
  const controller = new AbortController();
  let interruptedAt: number | undefined;
  let leaving: NodeJS.Timeout | undefined;
  const stopInterrupt = io.onInterrupt(() => {
    const now = performance.now();
    // npm passes on the Ctrl-C that the terminal has sent to all: it comes twice.
    if (interruptedAt !== undefined && now - interruptedAt < SAME_INTERRUPT_MS) return;
    if (controller.signal.aborted) return io.leave(EXIT_CODES.interrupted.code);
    interruptedAt = now;
    note(io, '[run] cancelling; once more to leave at once');
    controller.abort();
  });
  const stopClosed = io.onOutputClosed(() => {
    note(io, '[run] nobody reads the output any more: cancelling');
    controller.abort();
    leaving = setTimeout(() => io.leave(EXIT_CODES.outputClosed.code), CANCEL_WAIT_MS);
  });
  const stop = () => {
    stopInterrupt();
    stopClosed();
    clearTimeout(leaving);
  };
  return { signal: controller.signal, stop };
}
