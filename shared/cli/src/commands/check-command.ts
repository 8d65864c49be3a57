// `millrace check`: checks a running processor against docs/wire.md over the bus, independent of its language.
import {
  connectBus,
  readConnectionSettings,
  resolveAddress,
  withStackKey,
  type Bus,
  type BusAddress,
} from '@millrace/bus';
import { casesFileSchema, checkProcessors, formatReport, type CasesFile, type CheckReport } from '@millrace/check';
import { readPrefix } from '@millrace/contracts';
import { defineCliCommand, jsonArg, type Cli } from '../command/cli-command.ts';
import { note, writeLine, writeJson, type CliIo } from '../command/cli-io.ts';
import { parseDuration } from '../command/duration.ts';
import type { Exit } from '../command/exit-codes.ts';
import { makePrintable } from '../command/printable.ts';
import { readJson } from '../command/read-json.ts';
import { UsageError } from '../command/usage-error.ts';

const NAME = 'millrace check';
const CONNECT_TIMEOUT_MS = 5_000;

export const defineCheckCommand = (cli: Cli) =>
  defineCliCommand(cli, {
    name: NAME,
    description:
      'Check a running processor or tool against docs/wire.md and print each violation with its message. docs/check.md lists the rules.',
    args: {
      processor: {
        type: 'positional',
        required: true,
        description: 'id of a processor, a tool, or a service (all of its processors or tools)',
      },
      cases: { type: 'string', description: 'FILE (JSON) with options, texts, golden exchanges and redactions' },
      start: { type: 'string', description: 'COMMAND that starts a replica; two are started, and stopped under load' },
      limit: { type: 'string', description: 'maximum duration of the whole check, for example 2m (default: 60s)' },
      seed: { type: 'string', description: 'seed of the random cuts, as printed in a report' },
      ...jsonArg,
    },
    async run(args) {
      const { env, cwd } = cli.io;
      const cases =
        args.cases === undefined ? undefined : await readJson<CasesFile>(cli.io, args.cases, casesFileSchema, NAME);
      const seed = args.seed === undefined ? undefined : parseSeed(args.seed);
      const limitMs = args.limit === undefined ? undefined : parseDuration(args.limit, '--limit');
      const address = await resolveAddress(args.url === undefined ? env : { ...env, NATS_URL: args.url }, cwd);
      const start =
        args.start === undefined ? undefined : { command: args.start, cwd, env: { ...env, NATS_URL: address.url } };
      const bus = await connect(cli.io, address);
      const { signal, stop } = start ? listenForInterruption(cli.io) : { signal: undefined, stop: () => undefined };
      try {
        const reports = await checkProcessors({ bus, name: args.processor, cases, seed, start, limitMs, signal });
        if (args.json) writeJson(cli.io, reports);
        else writeLine(cli.io, makePrintable(reports.map(formatReport).join('\n\n')));
        return readExit(reports);
      } finally {
        stop();
        await bus.close();
      }
    },
  });

function readExit(reports: readonly CheckReport[]): Exit {
  if (reports.every(({ held }) => held)) return 'ok';
  const isBroken = reports.some(({ results }) => results.some(({ result }) => result === 'broken'));
  return isBroken ? 'refused' : 'unreachable';
}

/** Started replicas run in process groups of their own, so only the check ends them. */
function listenForInterruption(io: CliIo): { signal: AbortSignal; stop(): void } {
  const controller = new AbortController();
  const abort = () => {
    if (!controller.signal.aborted) note(io, '[check] ending the started processes');
    controller.abort();
  };
  const handled = [io.onInterrupt(abort), io.onOutputClosed(abort)];
  return { signal: controller.signal, stop: () => handled.forEach((leave) => leave()) };
}

/** The check asks processors as an orchestrator does, which an operator may not. */
function connect({ env }: CliIo, address: BusAddress): Promise<Bus> {
  return connectBus({
    ...withStackKey(readConnectionSettings(env), address, ['checker']),
    servers: address.url,
    name: 'check',
    connectTimeoutMs: CONNECT_TIMEOUT_MS,
    prefix: readPrefix(env),
  });
}

function parseSeed(text: string): number {
  const seed = Number(text);
  if (!Number.isSafeInteger(seed) || seed < 0) throw new UsageError('--seed must be a whole number', NAME);
  return seed;
}
