// `millrace logs`: prints the logs of the services of the local stack, merged by time.
import { findStateEntry } from '@millrace/bus';
import { defineCliCommand, type Cli } from '../command/cli-command.ts';
import { note, writeLine, type CliIo } from '../command/cli-io.ts';
import { parseCount } from '../command/duration.ts';
import { followLogs, readLogs } from './log-files.ts';
import { LEVELS, formatLine, isLevel, isShown, type LogFilter, type LogLine } from './log-lines.ts';
import { UsageError } from '../command/usage-error.ts';

const NAME = 'millrace logs';
const DEFAULT_LINES = 100;

export const defineLogsCommand = (cli: Cli) =>
  defineCliCommand(cli, {
    name: NAME,
    description: 'Print the logs of the local stack (`npm start`), all services in the order of time.',
    args: {
      service: { type: 'string', description: 'only these services, comma-separated' },
      level: { type: 'string', description: `at least this level: ${Object.keys(LEVELS).join(', ')}` },
      run: { type: 'string', description: 'only lines about this run' },
      lines: { type: 'string', description: `maximum number of lines (default: ${DEFAULT_LINES})` },
      follow: { type: 'boolean', description: 'print new lines until Ctrl-C' },
      json: { type: 'boolean', description: 'print the lines as they are stored' },
    },
    async run(args) {
      const { io } = cli;
      const filter = readFilter(args);
      const count = args.lines === undefined ? DEFAULT_LINES : parseCount(args.lines, '--lines');
      const folder = await findStateEntry(io.cwd, 'logs');
      if (folder === undefined)
        throw new UsageError('no .millrace/logs in this folder or above: `npm start` writes them', NAME);
      const print = printLine(io, args.json === true);
      const { lines, offsets } = await readLogs(folder, filter);
      const shown = lines.filter((line) => isShown(line, filter));
      if (shown.length > count) note(io, `${shown.length - count} earlier lines are omitted; see --lines`);
      for (const line of shown.slice(-count)) print(line);
      if (args.follow === true) await followUntilInterrupt(io, folder, offsets, filter, print);
    },
  });

function readFilter(args: Partial<Record<'service' | 'level' | 'run', string | undefined>>): LogFilter {
  const { service, level, run } = args;
  if (level !== undefined && !isLevel(level))
    throw new UsageError(`--level is one of ${Object.keys(LEVELS).join(', ')}`, NAME);
  return {
    services: service === undefined ? undefined : service.split(',').filter((name) => name !== ''),
    minLevel: level === undefined ? 0 : LEVELS[level],
    run,
  };
}

const printLine =
  (io: CliIo, asJson: boolean) =>
  (line: LogLine): void =>
    writeLine(io, asJson ? line.text : formatLine(line));

async function followUntilInterrupt(
  io: CliIo,
  folder: string,
  offsets: Map<string, number>,
  filter: LogFilter,
  print: (line: LogLine) => void,
): Promise<void> {
  const stopping = new AbortController();
  const stop = io.onInterrupt(() => stopping.abort());
  try {
    for await (const line of followLogs(folder, offsets, filter, stopping.signal))
      if (isShown(line, filter)) print(line);
  } finally {
    stop();
  }
}
