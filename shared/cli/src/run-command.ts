// `millrace run`, `follow` and `cancel`: one run, as it speaks.
import type { Run } from '@millrace/client';
import { jsonPrinter, textPrinter } from './answer-printer.ts';
import { cliCommand, jsonArg, withClient, type Cli } from './cli-command.ts';
import { note, say, type CliIo } from './cli-io.ts';
import { parseDuration } from './duration.ts';
import { EXIT_CODES, exitOfRun, type Exit } from './exit-codes.ts';
import { reportError } from './report-error.ts';

const json = { json: { ...jsonArg.json, description: 'one chunk a line instead of the text' } } as const;
const runId = { type: 'positional', required: true, description: 'the id that `millrace run` printed' } as const;

export const runCommand = (cli: Cli) =>
  cliCommand(cli, {
    name: 'millrace run',
    description:
      'Send TEXT to an agent; its answer streams to stdout, all else goes to stderr. Ctrl-C cancels the run.',
    args: {
      agent: { type: 'positional', required: true, description: 'its name' },
      text: { type: 'positional', required: true, description: 'in quotes; behind -- where it begins with -' },
      thread: { type: 'string', description: 'the conversation; without one there is no memory' },
      resource: { type: 'string', description: 'who owns the thread (default: the thread itself)' },
      timeout: { type: 'string', description: 'how long the run may take, for example 30s (default: 10m)' },
      ...json,
    },
    async run(args) {
      const deadlineMs = args.timeout === undefined ? undefined : parseDuration(args.timeout, '--timeout');
      return withClient(cli.io, args, async (client) => {
        const interrupt = cancelOnInterrupt(cli.io);
        try {
          const options = { threadId: args.thread, resourceId: args.resource, deadlineMs, signal: interrupt.signal };
          const run = await client.start(args.agent, args.text, options);
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

function cancelOnInterrupt(io: CliIo): { signal: AbortSignal; stop(): void } {
  const controller = new AbortController();
  const stop = io.onInterrupt(() => {
    if (controller.signal.aborted) return io.leave(EXIT_CODES.interrupted.code);
    note(io, '[run] cancelling; once more to leave at once');
    controller.abort();
  });
  return { signal: controller.signal, stop };
}
