// Groups of commands, and their help. The module imports neither the client nor the contracts: the help of the root
// needs a tenth of their time.
import { defineCommand, renderUsage } from 'citty';

export type CliCommand = {
  name: string;
  description: string;
  /** Names of the options, for the completion of a shell. */
  options: readonly string[];
  formatHelp(): Promise<string>;
  run(argv: string[]): Promise<void>;
};
export type Group = { name: string; description: string; formatHelp(): Promise<string>; commands: Commands };
export type Commands = Record<string, CliCommand | Group>;
/** A command of the root: its module is imported when it is called. */
export type LazyCommand = { description: string; load(): Promise<CliCommand | Group> };

export function group(name: string, description: string, commands: Commands): Group {
  return { name, description, formatHelp: () => formatGroupHelp(name, description, commands), commands };
}

export async function formatGroupHelp(
  name: string,
  description: string,
  commands: Readonly<Record<string, { description: string }>>,
): Promise<string> {
  const listed = Object.entries(commands).map(
    ([word, one]) => [word, { meta: { description: one.description } }] as const,
  );
  return renderUsage(defineCommand({ meta: { name, description }, subCommands: Object.fromEntries(listed) }));
}
