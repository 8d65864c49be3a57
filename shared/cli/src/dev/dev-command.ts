// `millrace dev`: runs a processor or tool, and restarts it when its sources change.
import { stat } from 'node:fs/promises';
import { dirname, extname, relative, resolve } from 'node:path';
import { cliCommand, type Cli } from '../cli-command.ts';
import { note, type CliIo } from '../cli-io.ts';
import { UsageError } from '../usage-error.ts';
import { startDevProgram, type DevProgram } from './dev-program.ts';
import { watchFolder, type FolderWatch } from './watch-folder.ts';

const NAME = 'millrace dev';

export const devCommand = (cli: Cli) =>
  cliCommand(cli, {
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
      const command = buildCommand(file, io);
      const env = args.url === undefined ? io.env : { ...io.env, NATS_URL: args.url };
      const watched = await watchFolder(folder).catch(() => {
        throw new UsageError(`${folder} cannot be watched`, NAME);
      });
      note(io, `[dev] watching ${relative(io.cwd, folder) || '.'}; Ctrl-C ends`);
      const start = () => startDevProgram(command, { cwd: io.cwd, env, write: (text) => io.stderr.write(text) });
      await superviseProgram(io, args.file, watched, start);
    },
  });

/** Returns the program that runs a file, by its extension. */
function buildCommand(file: string, { env }: CliIo): [string, string] {
  const extension = extname(file);
  if (/^\.[cm]?[jt]s$/.test(extension)) return [process.execPath, file];
  if (extension === '.py') return [env['PYTHON'] || 'python3', file];
  throw new UsageError(`${extension || 'a file without extension'} is neither TypeScript, JavaScript nor Python`, NAME);
}

async function superviseProgram(io: CliIo, file: string, watched: FolderWatch, start: () => DevProgram): Promise<void> {
  const stopping = new AbortController();
  const leave = io.onInterrupt(() => {
    stopping.abort();
    watched.close();
  });
  try {
    while (!stopping.signal.aborted) {
      const program = start();
      note(io, `[dev] ${file} runs (process ${program.pid ?? 'none'})`);
      const change = watched.nextChange();
      const end = await Promise.race([change.then(() => undefined), program.ended]);
      if (end !== undefined && !stopping.signal.aborted)
        note(io, `[dev] ${file} ${end}; the next change starts it again`);
      const files = await change;
      if (files.length > 0) note(io, `[dev] ${files.join(', ')} changed: restarting`);
      await program.stop();
    }
    note(io, `[dev] ${file} is stopped`);
  } finally {
    leave();
    watched.close();
  }
}

const isFile = (file: string): Promise<boolean> =>
  stat(file).then(
    (found) => found.isFile(),
    () => false,
  );
