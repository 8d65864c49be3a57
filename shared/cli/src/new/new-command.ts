// `millrace new`: writes a processor or tool that works at once. In this workspace it becomes a package; outside of it
// a folder that does not need this checkout; in Python a folder with one protocol module, in either place.
import { join, relative, resolve, sep, basename, dirname } from 'node:path';
import { isToken } from '@millrace/contracts';
import { defineCliCommand, group, type Cli } from '../command/cli-command.ts';
import { note, writeLine } from '../command/cli-io.ts';
import { formatCommandLine } from '../command/command-name.ts';
import { UsageError } from '../command/usage-error.ts';
import { findFileNameProblem, findWorkspaceNameProblem } from './name-problem.ts';
import { findOrigin, readPythonFile, type Origin } from './origin.ts';
import { makeOutsideFolder } from './outside-folder.ts';
import { buildAgentFile, buildPythonFiles, type ScaffoldKind } from './scaffold.ts';
import { findShippedNameProblem } from './shipped-names.ts';
import { addToWorkspace } from './workspace-package.ts';
import { mkdir, realpath, rm } from 'node:fs/promises';
import { writeNew } from './write-new.ts';

/** Files of the examples that are copied into a new Python folder: the protocol module and the pinned NATS client. */
const COPIED = ['millrace.py', 'requirements.txt'];

async function makePythonFolder(origin: Origin, folder: string, kind: ScaffoldKind, id: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const { name, text } of [...buildPythonFiles(kind, id), buildAgentFile(kind, id)])
    await writeNew(join(folder, name), text);
  for (const name of COPIED) await writeNew(join(folder, name), await readPythonFile(origin, name));
}

export const defineNewCommand = (cli: Cli) =>
  group('millrace new', 'Create a processor or a tool', {
    processor: createNewCommand(cli, 'processor'),
    tool: createNewCommand(cli, 'tool'),
  });

const createNewCommand = (cli: Cli, kind: ScaffoldKind) => {
  const command = `millrace new ${kind}`;
  return defineCliCommand(cli, {
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
      const given = await resolveFolder(resolve(cwd, into ?? '.'));
      const origin = findOrigin();
      const checkout = isWithin(origin, given) ? origin.root : undefined;
      const folder = into === undefined ? chooseFolder(given, checkout, lang, name) : given;
      refuse(name, command, findShippedNameProblem(kind, name));
      if (lang === 'py') {
        await writeInNewFolder(folder, command, () => makePythonFolder(origin, folder, kind, name));
        return writeLine(cli.io, formatPythonSteps(cli, kind, name, { folder, checkout }));
      }
      refuse(name, command, findFileNameProblem(name));
      if (checkout === undefined) {
        await writeInNewFolder(folder, command, () => {
          note(cli.io, '[new] building and packing the packages; npm installs the dependencies');
          return makeOutsideFolder(origin, folder, kind, name, env);
        });
        return writeLine(cli.io, formatOutsideSteps(cli, kind, name, folder));
      }
      if (into !== undefined)
        throw new UsageError('in this workspace the package lies in services/NAME: omit --into', command);
      refuse(name, command, await findWorkspaceNameProblem(checkout, kind, name));
      const made = await writeInNewFolder(folder, command, () => {
        note(cli.io, '[new] pnpm updates the lockfile');
        return addToWorkspace(checkout, kind, name, env);
      });
      writeLine(cli.io, formatInsideSteps(cli, kind, name, made));
    },
  });
};

function chooseFolder(cwd: string, checkout: string | undefined, lang: string, name: string): string {
  if (checkout === undefined) return resolve(cwd, name);
  return lang === 'py' ? join(checkout, 'processors', name) : join(checkout, 'services', name);
}

const isWithin = ({ kind, root }: Origin, folder: string): boolean =>
  kind === 'checkout' && (folder === root || folder.startsWith(`${root}${sep}`));
function refuse(name: string, command: string, problem: string | undefined): void {
  if (problem !== undefined) throw new UsageError(`"${name}" cannot be used as the name: ${problem}`, command);
}
/** Quotes a path for a shell. */
const quoteForShell = (path: string): string =>
  /^[\w./@+-]+$/.test(path) ? path : `'${path.replaceAll("'", String.raw`'\''`)}'`;
const toPortablePath = (path: string): string => path.split(sep).join('/');

const SAID: Record<ScaffoldKind, string> = {
  processor: 'WHY DO YOU NEVER LISTEN TO ME',
  tool: 'How many times does r occur in strawberry?',
};

const formatNextSteps = ({ io }: Cli, kind: ScaffoldKind, name: string, folder: string): string => `In another terminal:
  ${formatCommandLine(io.env, `check ${name}`)}
  ${formatCommandLine(io.env, `agents apply ${quoteForShell(`${folder}/agent.yaml`)}`)}
  ${formatCommandLine(io.env, `run ${name} "${SAID[kind]}"`)}`;

const formatInsideSteps = (cli: Cli, kind: ScaffoldKind, name: string, folder: string): string =>
  `${folder} is a working ${kind}: edit it. It is added to the lockfile, the import table${kind === 'processor' ? ', the processor pages' : ''} and npm start.

npm start serves it. To run it on its own with a running stack:
  npm run -s processor -- ${folder}/src/main.ts
${formatNextSteps(cli, kind, name, folder)}`;

const formatOutsideSteps = (cli: Cli, kind: ScaffoldKind, name: string, folder: string): string =>
  `${folder} is a working ${kind}: edit it. It does not depend on this checkout.

Set NATS_URL to the NATS server of Millrace and NATS_NKEY_FILE to the key of the role developer (with npm start:
.millrace/keys/developer/user.nk in the checkout), run it, and leave it running:
  cd ${quoteForShell(folder)} && npm start
${formatNextSteps(cli, kind, name, folder)}`;

type PythonPlace = { folder: string; checkout: string | undefined };

const formatPythonSteps = (cli: Cli, kind: ScaffoldKind, name: string, { folder, checkout }: PythonPlace): string => {
  const shown = checkout === undefined ? folder : toPortablePath(relative(checkout, folder));
  const formatInFolder = (path: string) => quoteForShell(`${shown}/${path}`);
  return `${shown}/main.py is a working ${kind}: edit it. millrace.py in the same folder carries the protocol.

Install its packages, run it below the folder of a running npm start (elsewhere with NATS_URL set), and leave it running:
  python3 -m venv ${formatInFolder('.venv')} && ${formatInFolder('.venv/bin/pip')} install -q -r ${formatInFolder('requirements.txt')}
  ${formatInFolder('.venv/bin/python')} ${formatInFolder('main.py')}
${formatNextSteps(cli, kind, name, shown)}`;
};

// Creates the folder of a new processor or tool exclusively, and removes it if the scaffold cannot be written completely.
/** Resolves the links of a path; the last parts of the path may not exist yet. */
async function resolveFolder(path: string): Promise<string> {
  const parent = dirname(path);
  if (parent === path) return path;
  return realpath(path).catch(async () => join(await resolveFolder(parent), basename(path)));
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
