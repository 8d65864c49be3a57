// `millrace new`: writes a processor or tool that works at once. In this workspace it becomes a package; outside of it
// a folder that does not need this checkout; in Python a folder with one protocol module, in either place.
import { join, relative, resolve, sep, basename, dirname } from 'node:path';
import { isToken } from '@millrace/contracts';
import { cliCommand, group, type Cli } from '../cli-command.ts';
import { note, say } from '../cli-io.ts';
import { UsageError } from '../usage-error.ts';
import { fileNameProblem, workspaceNameProblem } from './name-problem.ts';
import { makeOutsideFolder } from './outside-folder.ts';
import { agentFile, pythonFiles, type ScaffoldKind } from './scaffold.ts';
import { addToWorkspace } from './workspace-package.ts';
import { mkdir, readFile, realpath, rm } from 'node:fs/promises';
import { writeNew } from './write-new.ts';

/** Files of the examples that are copied into a new Python folder: the protocol module and the pinned NATS client. */
const COPIED = ['millrace.py', 'requirements.txt'];

async function makePythonFolder(checkout: string, folder: string, kind: ScaffoldKind, id: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const { name, text } of [...pythonFiles(kind, id), agentFile(kind, id)])
    await writeNew(join(folder, name), text);
  for (const name of COPIED)
    await writeNew(join(folder, name), await readFile(join(checkout, 'examples/python', name), 'utf8'));
}

const CHECKOUT = resolve(import.meta.dirname, '../../../..');

export const newCommand = (cli: Cli) =>
  group('millrace new', 'Create a processor or a tool', {
    processor: createNewCommand(cli, 'processor'),
    tool: createNewCommand(cli, 'tool'),
  });

const createNewCommand = (cli: Cli, kind: ScaffoldKind) => {
  const command = `millrace new ${kind}`;
  return cliCommand(cli, {
    name: command,
    description: `Create a ${kind} that works, and an agent that uses it.`,
    args: {
      name: { type: 'positional', required: true, description: 'its id, for example no-shouting' },
      lang: { type: 'string', description: 'ts or py (default: ts)' },
      into: {
        type: 'string',
        description: 'target folder (default: services/NAME in this workspace, ./NAME outside of it)',
      },
    },
    async run({ name, lang = 'ts', into }) {
      const { cwd, env } = cli.io;
      if (!isToken(name))
        throw new UsageError(`a name has 1 to 64 characters of A-Z, a-z, 0-9, "_" and "-", not "${name}"`, command);
      if (lang !== 'ts' && lang !== 'py') throw new UsageError(`--lang is ts or py, not "${lang}"`, command);
      const given = await realFolder(resolve(cwd, into ?? '.'));
      const isInside = isWithin(given);
      const folder = into === undefined ? defaultFolder(given, isInside, lang, name) : given;
      if (lang === 'py') {
        await writeInNewFolder(folder, command, () => makePythonFolder(CHECKOUT, folder, kind, name));
        return say(cli.io, pythonSteps(kind, name, folder));
      }
      refuse(name, command, fileNameProblem(name));
      if (!isInside) {
        await writeInNewFolder(folder, command, () => {
          note(cli.io, '[new] building and packing the packages; npm installs the dependencies');
          return makeOutsideFolder(CHECKOUT, folder, kind, name, env);
        });
        return say(cli.io, outsideSteps(kind, name, folder));
      }
      if (into !== undefined)
        throw new UsageError('in this workspace the package lies in services/NAME: omit --into', command);
      refuse(name, command, await workspaceNameProblem(CHECKOUT, kind, name));
      const made = await writeInNewFolder(folder, command, () => {
        note(cli.io, '[new] pnpm updates the lockfile');
        return addToWorkspace(CHECKOUT, kind, name, env);
      });
      say(cli.io, insideSteps(kind, name, made));
    },
  });
};

function defaultFolder(cwd: string, isInside: boolean, lang: string, name: string): string {
  if (!isInside) return resolve(cwd, name);
  return lang === 'py' ? join(CHECKOUT, 'processors', name) : join(CHECKOUT, 'services', name);
}

const isWithin = (folder: string): boolean => folder === CHECKOUT || folder.startsWith(`${CHECKOUT}${sep}`);
function refuse(name: string, command: string, problem: string | undefined): void {
  if (problem !== undefined) throw new UsageError(`"${name}" cannot be used as the name: ${problem}`, command);
}
/** Quotes a path for a shell. */
const quoteForShell = (path: string): string =>
  /^[\w./@+-]+$/.test(path) ? path : `'${path.replaceAll("'", String.raw`'\''`)}'`;
const portable = (path: string): string => path.split(sep).join('/');

const SAID: Record<ScaffoldKind, string> = {
  processor: 'WHY DO YOU NEVER LISTEN TO ME',
  tool: 'How many times does r occur in strawberry?',
};

const formatNextSteps = (kind: ScaffoldKind, name: string, folder: string): string => `In another terminal:
  npm run -s millrace -- check ${name}
  npm run -s millrace -- agents apply ${quoteForShell(`${folder}/agent.yaml`)}
  npm run -s millrace -- run ${name} "${SAID[kind]}"`;

const insideSteps = (kind: ScaffoldKind, name: string, folder: string): string =>
  `${folder} is a working ${kind}: edit it. It is added to the lockfile, the import table${kind === 'processor' ? ', the processor pages' : ''} and npm start.

npm start serves it. To run it on its own with a running stack:
  npm run -s processor -- ${folder}/src/main.ts
${formatNextSteps(kind, name, folder)}`;

const outsideSteps = (kind: ScaffoldKind, name: string, folder: string): string =>
  `${folder} is a working ${kind}: edit it. It does not depend on this checkout.

Set NATS_URL to the NATS server of Millrace, run it, and leave it running:
  cd ${quoteForShell(folder)} && npm start
${formatNextSteps(kind, name, folder)}`;

const pythonSteps = (kind: ScaffoldKind, name: string, folder: string): string => {
  const shown = isWithin(folder) ? portable(relative(CHECKOUT, folder)) : folder;
  return `${shown}/main.py is a working ${kind}: edit it. millrace.py in the same folder carries the protocol.

Set NATS_URL to the NATS server of Millrace, run it, and leave it running:
  pip install -r ${quoteForShell(`${shown}/requirements.txt`)}
  python3 ${quoteForShell(`${shown}/main.py`)}
${formatNextSteps(kind, name, shown)}`;
};

// Creates the folder of a new processor or tool exclusively, and removes it if the scaffold cannot be written completely.
/** Resolves the links of a path; the last parts of the path may not exist yet. */
async function realFolder(path: string): Promise<string> {
  const parent = dirname(path);
  if (parent === path) return path;
  return realpath(path).catch(async () => join(await realFolder(parent), basename(path)));
}

/** @throws UsageError if the folder exists; the error of `write` after the folder is removed */
export async function writeInNewFolder<T>(folder: string, command: string, write: () => Promise<T>): Promise<T> {
  await mkdir(dirname(folder), { recursive: true });
  await mkdir(folder).catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'EEXIST' ? new UsageError(`${folder} exists already: choose another name`, command) : error;
  });
  try {
    return await write();
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
}
