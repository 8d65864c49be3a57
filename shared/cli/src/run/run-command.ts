// `millrace run`, `follow` and `cancel`: start, follow and cancel one run.
import type { Run } from '@millrace/client';
import { createJsonPrinter, createTextPrinter } from './answer-printer.ts';
import { defineCliCommand, jsonArg, withClient, type Cli } from '../command/cli-command.ts';
import { note, writeLine, type CliIo } from '../command/cli-io.ts';
import { parseDuration } from '../command/duration.ts';
import { EXIT_CODES, chooseExitForRun, type Exit } from '../command/exit-codes.ts';
import { overrideArgs, parseOverrides } from './override-args.ts';
import { parseSettings, settingArgs } from './setting-args.ts';
import { readPrompt } from '../command/read-input.ts';
import { reportError } from '../command/report-error.ts';

/** Two signals within this time count as one Ctrl-C. */
const SAME_INTERRUPT_MS = 200;
/** Maximum time to wait for a cancelled run if stdin is not a terminal, and a second Ctrl-C is impossible. */
const CANCEL_WAIT_MS = 10_000;

const json = { json: { ...jsonArg.json, description: 'print one chunk per line instead of the text' } } as const;
const runId = { type: 'positional', required: true, description: 'the id that `millrace run` printed' } as const;

export const defineRunCommand = (cli: Cli) =>
  defineCliCommand(cli, {
    name: 'millrace run',
    description:
      'Send TEXT to an agent and stream its answer to stdout; notices are written to stderr. Ctrl-C cancels the run.',
    args: {
      agent: { type: 'positional', required: true, description: 'its name' },
      text: {
        type: 'positional',
        required: false,
        description: 'in quotes, after -- if it starts with -; read from stdin if omitted or -',
      },
      thread: { type: 'string', description: 'conversation id; without a thread the run has no memory' },
      resource: { type: 'string', description: 'owner of the thread (default: the thread itself)' },
      timeout: { type: 'string', description: 'maximum duration of the run, for example 30s (default: 10m)' },
      ...overrideArgs,
      ...settingArgs,
      ...json,
    },
    async run(args) {
      const deadlineMs = args.timeout === undefined ? undefined : parseDuration(args.timeout, '--timeout');
      const overrides = { ...parseOverrides(args, 'millrace run'), ...parseSettings(args, 'millrace run') };
      const text = await readPrompt(cli.io, args.text, 'millrace run');
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

export const defineFollowCommand = (cli: Cli) =>
  defineCliCommand(cli, {
    name: 'millrace follow',
    description: 'Follow a run from its start, also after its end. Ctrl-C does not affect the run.',
    args: { run: runId, ...json },
    run: (args) =>
      withClient(cli.io, args, async (client) => print(cli.io, await client.follow(args.run), args.json === true)),
  });

export const cancelCommand = (cli: Cli) =>
  defineCliCommand(cli, {
    name: 'millrace cancel',
    description: 'Cancel a run and print its previous status.',
    args: { run: runId },
    run: (args) =>
      withClient(cli.io, args, async (client) => {
        writeLine(cli.io, await client.runs.cancel(args.run));
      }),
  });

/** Prints the chunks, then the outcome. If the chunks are lost, the result can still be read. */
async function print(io: CliIo, run: Run, asJson: boolean): Promise<Exit> {
  const printer = asJson ? createJsonPrinter(io) : createTextPrinter(io);
  try {
    for await (const chunk of run.positions) printer.printChunk(chunk);
  } catch (error) {
    const result = await run.result().catch(() => {
      throw error;
    });
    reportError(io, error);
    printer.printResult(result);
    return chooseExitForRun(result.status);
  }
  const result = await run.result();
  printer.printResult(result);
  return chooseExitForRun(result.status);
}

/** Cancels the run at Ctrl-C or when the reader of stdout closes the pipe, and waits for the result with a timeout. */
function cancelOnInterrupt(io: CliIo): { signal: AbortSignal; stop(): void } {
  const controller = new AbortController();
  let interruptedAt: number | undefined;
  let leaving: NodeJS.Timeout | undefined;
  const stopInterrupt = io.onInterrupt(() => {
    const now = performance.now();
    // npm forwards a Ctrl-C that the terminal has sent to all processes, so the signal arrives twice.
    if (interruptedAt !== undefined && now - interruptedAt < SAME_INTERRUPT_MS) return;
    if (controller.signal.aborted) return io.leave(EXIT_CODES.interrupted.code);
    interruptedAt = now;
    note(io, '[run] cancelling; press Ctrl-C again to exit at once');
    controller.abort();
  });
  const stopClosed = io.onOutputClosed(() => {
    note(io, '[run] the reader of stdout closed the pipe: cancelling');
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
