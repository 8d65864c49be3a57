// `millrace new`: writes what somebody begins with. A processor lives outside of the workspace's packages, so that neither the
// lockfile nor a manifest changes; below the checkout it finds @millrace/processor and zod in the root's node_modules.
import { mkdir, writeFile } from 'node:fs/promises';
import { join, relative, resolve, sep } from 'node:path';
import { isToken } from '@millrace/contracts';
import { cliCommand, group, type Cli } from './cli-command.ts';
import { say } from './cli-io.ts';
import { processorScaffold } from './processor-scaffold.ts';
import { UsageError } from './usage-error.ts';

const CHECKOUT = resolve(import.meta.dirname, '../../..');
const NAME = 'millrace new processor';

export const newCommand = (cli: Cli) =>
  group('millrace new', 'Write the beginning of a processor', { processor: processorCommand(cli) });

const processorCommand = (cli: Cli) =>
  cliCommand(cli, {
    name: NAME,
    description: 'Write a processor that works, and an agent that uses it, into a new folder.',
    args: {
      name: { type: 'positional', required: true, description: 'its id, for example no-shouting' },
      into: { type: 'string', description: 'folder of the new one, inside this checkout (default: processors)' },
    },
    async run({ name, into = 'processors' }) {
      if (!isToken(name))
        throw new UsageError(`a processor's name is 1 to 64 of A-Z, a-z, 0-9, "_" and "-", not "${name}"`, NAME);
      const folder = resolve(cli.io.cwd, into, name);
      if (!folder.startsWith(`${CHECKOUT}${sep}`))
        throw new UsageError(`${folder} is outside of ${CHECKOUT}, where @millrace/processor would not be found`, NAME);
      const base = portable(relative(folder, join(CHECKOUT, 'tsconfig.base.json')));
      await mkdir(folder, { recursive: true });
      for (const { name: file, text } of processorScaffold(name, base)) await writeNew(join(folder, file), text);
      say(cli.io, nextSteps(name, portable(relative(CHECKOUT, folder))));
    },
  });

/** `wx`: what is there already is never overwritten. */
async function writeNew(file: string, text: string): Promise<void> {
  await writeFile(file, text, { flag: 'wx' }).catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'EEXIST' ? new UsageError(`${file} is there already: take another name`, NAME) : error;
  });
}

const portable = (path: string): string => path.split(sep).join('/');

const nextSteps = (
  name: string,
  folder: string,
): string => `${folder}/main.ts is a processor that works as it is: change it.
${folder}/agent.yaml is an agent that uses it.

While npm start serves, run it, and leave it running:
  npm run -s processor -- ${folder}/main.ts
In another terminal:
  npm run -s millrace -- agents apply ${folder}/agent.yaml
  npm run -s millrace -- run ${name} "WHY DOES NOBODY EVER LISTEN TO ME"`;
