// Runs the `millrace` command from its arguments to its exit code. Never throws.
import { readFileSync } from 'node:fs';
import { stripVTControlCharacters } from 'node:util';
import type { Cli } from './command/cli-command.ts';
import { note, writeLine, type CliIo } from './command/cli-io.ts';
import { formatGroupHelp, type CliCommand, type Group } from './command/command-group.ts';
import { listCommands } from './command-table.ts';
import { EXIT_CODES, formatExitCodeTable } from './command/exit-code-table.ts';
import { suggestName } from '@millrace/contracts/nearest-name';
import { UsageError } from './command/usage-error.ts';

/** Returns the version of the command's package. */
function formatVersion(): string {
  const manifest: unknown = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  const hasVersion = typeof manifest === 'object' && manifest !== null && 'version' in manifest;
  return `millrace ${hasVersion ? String(manifest.version) : 'of an unknown version'}, Node ${process.versions.node}`;
}

const VARIABLES = `ENVIRONMENT

  NATS_URL                    NATS address (default: .millrace/stack.json of a parent folder, then localhost:4222)
  NATS_USER, NATS_PASSWORD    user of NATS, with a password
  NATS_NKEY_FILE, NATS_NKEY   user of NATS, with a key: a file with its seed, or the seed
  NATS_CREDS_FILE             user of NATS, with a credentials file
  NATS_TLS                    required: the server has a public certificate
  NATS_TLS_CA_FILE            certificate authority of the server; NATS_TLS_CERT_FILE, NATS_TLS_KEY_FILE: own certificate
  NATS_INBOX_PREFIX           prefix of the reply subjects (default: _INBOX and the user)
  MILLRACE_PREFIX             prefix of all subjects (docs/configuration.md has the default)`;

/** Resolves with the exit code. */
export async function runCli(argv: readonly string[], io: CliIo): Promise<number> {
  const cli: Cli = { io, exit: 'ok' };
  try {
    await dispatch(cli, [...argv]);
  } catch (error) {
    const known = isCittyError(error) ? new UsageError(stripControls(error.message), error.command) : error;
    const [{ reportError }, { chooseExitForError: exitOfError }] = await Promise.all([
      import('./command/report-error.ts'),
      import('./command/exit-codes.ts'),
    ]);
    reportError(io, known);
    cli.exit = exitOfError(known);
  }
  return EXIT_CODES[cli.exit].code;
}

async function dispatch(cli: Cli, argv: string[]): Promise<void> {
  const [word, ...rest] = argv;
  const commands = listCommands(cli);
  if (word === undefined) {
    note(cli.io, await renderRootHelp(commands));
    cli.exit = 'usage';
    return;
  }
  if (word === '--version') return writeLine(cli.io, formatVersion());
  if (isHelp(word)) return writeLine(cli.io, await renderRootHelp(commands));
  const command = Object.hasOwn(commands, word) ? commands[word] : undefined;
  if (!command) throw createUnknownCommandError(word, Object.keys(commands), 'millrace');
  await runCommand(cli, await command.load(), rest);
}

async function runCommand(cli: Cli, command: CliCommand | Group, argv: string[]): Promise<void> {
  if ('commands' in command) return runGroup(cli, command, argv);
  const options = argv.includes('--') ? argv.slice(0, argv.indexOf('--')) : argv;
  if (options.some(isHelp)) return writeLine(cli.io, stripControls(await command.formatHelp()).trimEnd());
  const { name, run } = command;
  await run(argv).catch((error: unknown) => {
    throw isCittyError(error) ? Object.assign(error, { command: name }) : error;
  });
}

async function runGroup(cli: Cli, { name, commands, formatHelp }: Group, [word, ...rest]: string[]): Promise<void> {
  const renderUsage = async () => stripControls(await formatHelp()).trimEnd();
  if (word === undefined) {
    note(cli.io, await renderUsage());
    cli.exit = 'usage';
    return;
  }
  if (isHelp(word)) return writeLine(cli.io, await renderUsage());
  const command = Object.hasOwn(commands, word) ? commands[word] : undefined;
  if (!command) throw createUnknownCommandError(word, Object.keys(commands), name);
  await runCommand(cli, command, rest);
}

const createUnknownCommandError = (word: string, names: readonly string[], command: string): UsageError =>
  new UsageError(suggestName(`unknown command "${word}"`, word, names), command);

async function renderRootHelp(commands: Readonly<Record<string, { description: string }>>): Promise<string> {
  const help = await formatGroupHelp(
    'millrace',
    'Run agents through Millrace, and inspect runs, processors and memory',
    commands,
  );
  return `${stripControls(help).trimEnd()}\n\nEXIT CODES\n\n${formatExitCodeTable()}\n\n${VARIABLES}`;
}

const isHelp = (word: string): boolean => word === '--help' || word === '-h';
/** citty decides on colors by the environment alone and ignores the output stream. */
const stripControls = (text: string): string => stripVTControlCharacters(text);
/** citty does not export its error class for missing arguments. */
const isCittyError = (error: unknown): error is Error & { command?: string } =>
  error instanceof Error && error.name === 'CLIError';
