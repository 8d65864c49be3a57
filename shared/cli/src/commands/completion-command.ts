// `millrace completion`: prints the script that completes commands and options in a shell.
import { defineCliCommand, type Cli } from '../command/cli-command.ts';
import { writeLine } from '../command/cli-io.ts';
import type { CliCommand, Group } from '../command/command-group.ts';
import { buildCompletionScript, isShell, SHELLS, type Completions } from './completion-text.ts';
import { UsageError } from '../command/usage-error.ts';

const NAME = 'millrace completion';

/** @param loadAll loads every command of the root, by name */
export const defineCompletionCommand = (cli: Cli, loadAll: () => Promise<Record<string, CliCommand | Group>>) =>
  defineCliCommand(cli, {
    name: NAME,
    description: `Print the completion of a shell: ${SHELLS.join(', ')}. bash: source <(millrace completion bash)`,
    args: { shell: { type: 'positional', required: true, description: SHELLS.join(', ') } },
    async run({ shell }) {
      if (!isShell(shell)) throw new UsageError(`SHELL is one of ${SHELLS.join(', ')}`, NAME);
      const words = collectWords(await loadAll());
      const own = { '': [...(words[''] ?? []), 'completion'], completion: SHELLS };
      writeLine(cli.io, buildCompletionScript(shell, { ...words, ...own }));
    },
  });

/** Returns the words that may follow each path of commands. */
function collectWords(commands: Readonly<Record<string, CliCommand | Group>>, path = ''): Completions {
  const own: Completions = { [path]: Object.keys(commands) };
  for (const [name, command] of Object.entries(commands)) {
    const below = path === '' ? name : `${path} ${name}`;
    if ('commands' in command) Object.assign(own, collectWords(command.commands, below));
    else own[below] = command.options.map((option) => `--${option}`);
  }
  return own;
}
