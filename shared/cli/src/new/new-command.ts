// `millrace new`: writes what somebody begins with, so that it works as it is. In this workspace a package like the others; outside of it a
// folder that needs nothing of this checkout any more; in Python a folder with one module, wherever it is.
import { join, relative, resolve, sep } from 'node:path';
import { isToken } from '@millrace/contracts';
import { cliCommand, group, type Cli } from '../cli-command.ts';
import { note, say } from '../cli-io.ts';
import { UsageError } from '../usage-error.ts';
import { inNewFolder, realFolder } from './claimed-folder.ts';
import { fileNameProblem, workspaceNameProblem } from './name-problem.ts';
import { makeOutsideFolder } from './outside-folder.ts';
import { makePythonFolder } from './python-folder.ts';
import type { Kind } from './scaffold.ts';
import { addToWorkspace } from './workspace-package.ts';

const CHECKOUT = resolve(import.meta.dirname, '../../../..');

export const newCommand = (cli: Cli) =>
  group('millrace new', 'Write the beginning of a processor or a tool', {
    processor: newOf(cli, 'processor'),
    tool: newOf(cli, 'tool'),
  });

const newOf = (cli: Cli, kind: Kind) => {
  const command = `millrace new ${kind}`;
  return cliCommand(cli, {
    name: command,
    description: `Write a ${kind} that works, and an agent that uses it.`,
    args: {
      name: { type: 'positional', required: true, description: 'its id, for example no-shouting' },
      lang: { type: 'string', description: 'ts or py (default: ts)' },
      into: {
        type: 'string',
        description: 'folder of the new one (default: services/NAME in this workspace, ./NAME outside of it)',
      },
    },
    async run({ name, lang = 'ts', into }) {
      const { cwd, env } = cli.io;
      if (!isToken(name))
        throw new UsageError(`a name is 1 to 64 of A-Z, a-z, 0-9, "_" and "-", not "${name}"`, command);
      if (lang !== 'ts' && lang !== 'py') throw new UsageError(`--lang is ts or py, not "${lang}"`, command);
      const given = await realFolder(resolve(cwd, into ?? '.'));
      const isInside = isWithin(given);
      const folder = into === undefined ? defaultFolder(given, isInside, lang, name) : given;
      if (lang === 'py') {
        await inNewFolder(folder, command, () => makePythonFolder(CHECKOUT, folder, kind, name));
        return say(cli.io, pythonSteps(kind, name, folder));
      }
      refuse(name, command, fileNameProblem(name));
      if (!isInside) {
        await inNewFolder(folder, command, () => {
          note(cli.io, '[new] packages are built and packed; npm installs the rest');
          return makeOutsideFolder(CHECKOUT, folder, kind, name, env);
        });
        return say(cli.io, outsideSteps(kind, name, folder));
      }
      if (into !== undefined)
        throw new UsageError('in this workspace it stands in services/NAME: leave --into out', command);
      refuse(name, command, await workspaceNameProblem(CHECKOUT, kind, name));
      const made = await inNewFolder(folder, command, () => {
        note(cli.io, '[new] the pinned pnpm updates the lockfile');
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
  if (problem !== undefined) throw new UsageError(`"${name}" cannot be the name: ${problem}`, command);
}
/** As a shell reads it. */
const quoted = (path: string): string =>
  /^[\w./@+-]+$/.test(path) ? path : `'${path.replaceAll("'", String.raw`'\''`)}'`;
const portable = (path: string): string => path.split(sep).join('/');

const SAID: Record<Kind, string> = {
  processor: 'WHY DOES NOBODY EVER LISTEN TO ME',
  tool: 'How often does r stand in strawberry?',
};

const inAnotherTerminal = (kind: Kind, name: string, folder: string): string => `In another terminal:
  npm run -s millrace -- check ${name}
  npm run -s millrace -- agents apply ${quoted(`${folder}/agent.yaml`)}
  npm run -s millrace -- run ${name} "${SAID[kind]}"`;

const insideSteps = (kind: Kind, name: string, folder: string): string =>
  `${folder} is a ${kind} that works as it is: change it. The lockfile, the import table${kind === 'processor' ? ', the pages of the processors' : ''} and npm start know of it.

npm start serves it from now on; without that, beside a stack that serves:
  npm run -s processor -- ${folder}/src/main.ts
${inAnotherTerminal(kind, name, folder)}`;

const outsideSteps = (kind: Kind, name: string, folder: string): string =>
  `${folder} is a ${kind} that works as it is: change it. It needs nothing of this checkout.

With NATS_URL set to where Millrace is, run it, and leave it running:
  cd ${quoted(folder)} && npm start
${inAnotherTerminal(kind, name, folder)}`;

const pythonSteps = (kind: Kind, name: string, folder: string): string => {
  const shown = isWithin(folder) ? portable(relative(CHECKOUT, folder)) : folder;
  return `${shown}/main.py is a ${kind} that works as it is: change it. millrace.py beside it carries the protocol.

With NATS_URL set to where Millrace is, run it, and leave it running:
  pip install -r ${quoted(`${shown}/requirements.txt`)}
  python3 ${quoted(`${shown}/main.py`)}
${inAnotherTerminal(kind, name, shown)}`;
};
