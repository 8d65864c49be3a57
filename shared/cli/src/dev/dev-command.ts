// `millrace dev`: runs a processor or tool, and restarts it when its sources change.
import { stat } from 'node:fs/promises';
import { dirname, extname, join, relative, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { defineCliCommand, type Cli } from '../command/cli-command.ts';
import { note, type CliIo } from '../command/cli-io.ts';
import { UsageError } from '../command/usage-error.ts';
import { startDevProgram, type DevProgram } from './dev-program.ts';
import { watchFolder, type FolderWatch } from './watch-folder.ts';

const NAME = 'millrace dev';
/** A program that runs for a shorter time before the next change restarts later each time, ms. */
const QUICK_MS = 1_000;
const WAIT_MS = 100;
const MAX_WAIT_MS = 5_000;

export const defineDevCommand = (cli: Cli) =>
  defineCliCommand(cli, {
    name: NAME,
    description: 'Run the processor or tool in FILE, and restart it when a source in its folder changes.',
    args: {
      file: { type: 'positional', required: true, description: 'its program: TypeScript or JavaScript, or Python' },
      watch: { type: 'string', description: 'folder with its sources (default: the folder of FILE)' },
    },
    async run(args) {
      const { io } = cli;
      const file = resolve(io.cwd, args.file);
      const folder = args.watch === undefined ? dirname(file) : resolve(io.cwd, args.watch);
      if (!(await isFile(file))) throw new UsageError(`${args.file} is not a file`, NAME);
      const command = await buildCommand(file, io);
      const env = args.url === undefined ? io.env : { ...io.env, NATS_URL: args.url };
      const warn = (limit: number) => note(io, `[dev] only the first ${limit} folders of ${folder} are watched`);
      const watched = await watchFolder(folder, warn).catch(() => {
        throw new UsageError(`${folder} cannot be watched`, NAME);
      });
      note(io, `[dev] watching ${relative(io.cwd, folder) || '.'}; Ctrl-C ends`);
      const start = () => startDevProgram(command, { cwd: io.cwd, env, write: (text) => io.stderr.write(text) });
      await superviseProgram(io, args.file, watched, start);
    },
  });

/** Returns the program that runs a file, by its extension. */
async function buildCommand(file: string, { env }: CliIo): Promise<[string, string]> {
  const extension = extname(file);
  if (/^\.[cm]?[jt]s$/.test(extension)) return [process.execPath, file];
  if (extension === '.py') return [env['PYTHON'] || (await findPython(dirname(file))), file];
  throw new UsageError(`${extension || 'a file without extension'} is neither TypeScript, JavaScript nor Python`, NAME);
}

/** Returns the Python of the virtual environment in the folder, if it has one. */
async function findPython(folder: string): Promise<string> {
  const own = join(folder, '.venv/bin/python');
  return (await isFile(own)) ? own : 'python3';
}

async function superviseProgram(io: CliIo, file: string, watched: FolderWatch, start: () => DevProgram): Promise<void> {
  const stopping = new AbortController();
  const leave = io.onInterrupt(() => {
    stopping.abort();
    watched.close();
  });
  try {
    let quick = 0;
    while (!stopping.signal.aborted) {
      const program = start();
      const startedAt = performance.now();
      note(io, `[dev] ${file} runs (process ${program.pid ?? 'none'})`);
      const change = watched.nextChange();
      const end = await Promise.race([change.then(() => undefined), program.ended]);
      if (end !== undefined && !stopping.signal.aborted)
        note(io, `[dev] ${file} ${end}; the next change starts it again`);
      const files = await change;
      if (files.length > 0) note(io, `[dev] ${files.join(', ')} changed: restarting`);
      await program.stop();
      // A program that writes into its folder at its start would restart without end.
      quick = performance.now() - startedAt < QUICK_MS ? quick + 1 : 0;
      if (quick > 1) await wait(Math.min(WAIT_MS * 2 ** quick, MAX_WAIT_MS), stopping.signal);
    }
    note(io, `[dev] ${file} is stopped`);
  } finally {
    leave();
    watched.close();
  }
}

/** Returns early if the signal fires. */
const wait = (ms: number, signal: AbortSignal): Promise<void> =>
  delay(ms, undefined, { signal }).catch(() => undefined);

const isFile = (file: string): Promise<boolean> =>
  stat(file).then(
    (found) => found.isFile(),
    () => false,
  );
