// `millrace tap`: prints chunks and events as they pass, of one run or of all runs of the tenant.
import {
  DEFAULT_TENANT,
  STAGES,
  liveBatchSchema,
  isToken,
  readPrefix,
  type RunEvent,
  type Stage,
} from '@millrace/contracts';
import { connectBus, listen, readConnectionSettings, resolveAddress, waitForAbort, withStackKey } from '@millrace/bus';
import { attachClient, type Client } from '@millrace/client';
import { defineCliCommand, withClient, type Cli } from '../command/cli-command.ts';
import { note, writeLine, type CliIo } from '../command/cli-io.ts';
import { parseCount } from '../command/duration.ts';
import { toOneLine } from '../command/printable.ts';
import { startTrace, type RunTrace } from '../run/run-trace.ts';
import { formatTrace } from '../text/trace-text.ts';
import { UsageError } from '../command/usage-error.ts';

const NAME = 'millrace tap';
/** Runs of which the command reads the events at the same time; the chunks of others are printed all the same. */
const MAX_TRACED = 100;

export const defineTapCommand = (cli: Cli) =>
  defineCliCommand(cli, {
    name: NAME,
    description:
      'Print chunks and events as they pass, of RUN or of all runs of the tenant, until Ctrl-C or the end of RUN (operators only).',
    args: {
      run: { type: 'positional', required: false, description: 'its id (default: all runs)' },
      stage: { type: 'string', description: `only events of this stage: ${STAGES.join(', ')}` },
      lines: { type: 'string', description: 'exit after this number of lines' },
    },
    async run(args) {
      const { stage } = args;
      if (stage !== undefined && !isStage(stage)) throw new UsageError(`--stage is one of ${STAGES.join(', ')}`, NAME);
      const lines = args.lines === undefined ? Infinity : parseCount(args.lines, '--lines');
      const output = createTapOutput(cli.io, stage, lines);
      const { run } = args;
      if (run === undefined) return tapAll(cli.io, args, output);
      return withClient(cli.io, args, (client) => tapRun(client, run, output));
    },
  });

const isStage = (name: string): name is Stage => STAGES.some((stage) => stage === name);

type TapOutput = {
  printChunk(runId: string, place: string, printChunk: { type: string }): void;
  printEvent(runId: string, printEvent: RunEvent): void;
  /** Fires when the number of lines is reached, or at Ctrl-C. */
  done: AbortSignal;
  stop(): void;
};

/** With a stage only its events are printed: chunks belong to no stage. */
function createTapOutput(io: CliIo, stage: Stage | undefined, maxLines: number): TapOutput {
  const controller = new AbortController();
  const stop = io.onInterrupt(() => controller.abort());
  let lines = 0;
  const print = (text: string) => {
    if (lines >= maxLines) return;
    writeLine(io, text);
    lines += 1;
    if (lines >= maxLines) controller.abort();
  };
  return {
    printChunk(runId, place, chunk) {
      if (stage === undefined) print(toOneLine(`${runId} ${place} ${formatChunk(chunk)}`, MAX_LINE_CHARS));
    },
    printEvent(runId, event) {
      if (stage === undefined || (event.event === 'stage' && event.stage === stage))
        print(`${runId} ${formatTrace(event)}`);
    },
    done: controller.signal,
    stop,
  };
}

const MAX_LINE_CHARS = 400;

function formatChunk(chunk: { type: string; payload?: unknown }): string {
  return chunk.payload === undefined ? chunk.type : `${chunk.type} ${JSON.stringify(chunk.payload)}`;
}

async function tapRun(client: Client, runId: string, output: TapOutput): Promise<void> {
  const run = await client.follow(runId, { signal: output.done });
  const trace = startTrace(client, runId, (event) => output.printEvent(runId, event));
  try {
    for await (const { epoch, index, chunk } of run.positions) {
      output.printChunk(runId, `${epoch}.${index}`, chunk);
      trace.observe(chunk);
      if (output.done.aborted) return;
    }
    await trace.end();
  } catch (error) {
    if (!output.done.aborted) throw error;
  } finally {
    output.stop();
  }
}

/** Subscribes to the live chunks of the tenant: an operator may read those of every caller. */
async function tapAll(
  io: CliIo,
  { url, tenant = DEFAULT_TENANT }: { url?: string | undefined; tenant?: string | undefined },
  output: TapOutput,
): Promise<void> {
  const { env, cwd } = io;
  const address = await resolveAddress(url === undefined ? env : { ...env, NATS_URL: url }, cwd);
  const settings = withStackKey(readConnectionSettings(env), address, ['operator']);
  const bus = await connectBus({ servers: address.url, ...settings, prefix: readPrefix(env), name: 'client' });
  const traces = new Map<string, RunTrace>();
  try {
    const client = await attachClient(bus, { tenant });
    const observe = (runId: string, chunk: { type: string }) => {
      if (!traces.has(runId) && traces.size < MAX_TRACED)
        traces.set(
          runId,
          startTrace(client, runId, (event) => output.printEvent(runId, event)),
        );
      traces.get(runId)?.observe(chunk);
    };
    const pattern = bus.subjects.patterns.chunks(tenant, '*');
    const live = listen(bus, pattern, liveBatchSchema, ({ epoch, index, chunks }, subject) => {
      const runId = subject.split('.').at(-1) ?? '';
      if (!isToken(runId)) return;
      for (const [at, chunk] of chunks.entries()) {
        output.printChunk(runId, `${epoch}.${index + at}`, chunk);
        observe(runId, chunk);
        if (ENDS.has(chunk.type)) void endTrace(traces, runId);
      }
    });
    await bus.nc.flush();
    note(io, `[tap] all runs of ${tenant}; Ctrl-C ends`);
    await waitForAbort(output.done);
    live.stop();
  } finally {
    output.stop();
    await bus.close();
  }
}

const ENDS: ReadonlySet<string> = new Set(['finish', 'tripwire', 'abort', 'error', 'suspended']);

async function endTrace(traces: Map<string, RunTrace>, runId: string): Promise<void> {
  const trace = traces.get(runId);
  traces.delete(runId);
  await trace?.end();
}
