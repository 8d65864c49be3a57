// Runs the `millrace` command from its arguments to its exit code. Never throws.
import { stripVTControlCharacters } from 'node:util';
import { DEFAULT_PREFIX, getOwnMember } from '@millrace/contracts';
import { agentsCommand } from './agents-command.ts';
import { apiKeysCommand } from './api-keys-command.ts';
import { group, type Cli, type CliCommand, type Group } from './cli-command.ts';
import { note, say, type CliIo } from './cli-io.ts';
import { EXIT_CODES, exitCodeTable, exitOfError } from './exit-codes.ts';
import { doctorCommand } from './doctor-command.ts';
import { tapCommand } from './tap-command.ts';
import { eraseCommand } from './erase-command.ts';
import { callCommand } from './call-command.ts';
import { chatCommand } from './chat-command.ts';
import { checkCommand } from './check-command.ts';
import { messagesCommand } from './edit-memory-commands.ts';
import { deadLettersCommand } from './dead-letters-command.ts';
import { keysCommand } from './keys-command.ts';
import { logsCommand } from './logs-command.ts';
import { memoryCommand, threadsCommand } from './memory-command.ts';
import { newCommand } from './new/new-command.ts';
import { processorsCommand } from './processors-command.ts';
import { reportError } from './report-error.ts';
import { cancelCommand, followCommand, runCommand } from './run-command.ts';
import { runsCommand } from './runs-command.ts';
import { schemasCommand } from './schemas-command.ts';
import { UsageError } from './usage-error.ts';
import { readFileSync } from 'node:fs';

/** Returns the version of the command's package. */
function versionText(): string {
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
  MILLRACE_PREFIX             prefix of all subjects (default: ${DEFAULT_PREFIX})`;

/** Resolves with the exit code. */
export async function runCli(argv: readonly string[], io: CliIo): Promise<number> {
  const cli: Cli = { io, exit: 'ok' };
  const root = buildCommands(cli);
  try {
    await dispatch(cli, root, [...argv]);
  } catch (error) {
    const known = isCittyError(error) ? new UsageError(plain(error.message), error.command) : error;
    reportError(io, known);
    cli.exit = exitOfError(known);
  }
  return EXIT_CODES[cli.exit].code;
}

const buildCommands = (cli: Cli): Group =>
  group('millrace', 'Run agents through Millrace, and inspect runs, processors and memory', {
    run: runCommand(cli),
    chat: chatCommand(cli),
    follow: followCommand(cli),
    cancel: cancelCommand(cli),
    agents: agentsCommand(cli),
    processors: processorsCommand(cli),
    threads: threadsCommand(cli),
    messages: messagesCommand(cli),
    memory: memoryCommand(cli),
    runs: runsCommand(cli),
    erase: eraseCommand(cli),
    'dead-letters': deadLettersCommand(cli),
    call: callCommand(cli),
    check: checkCommand(cli),
    doctor: doctorCommand(cli),
    tap: tapCommand(cli),
    logs: logsCommand(cli),
    'api-keys': apiKeysCommand(cli),
    keys: keysCommand(cli),
    schemas: schemasCommand(cli),
    new: newCommand(cli),
  });

async function dispatch(cli: Cli, root: Group, argv: string[]): Promise<void> {
  let at: CliCommand | Group = root;
  let rest = argv;
  while ('commands' in at) {
    const [word, ...after] = rest;
    if (word === undefined) {
      note(cli.io, await formatHelp(root, at));
      cli.exit = 'usage';
      return;
    }
    if (word === '--version' && at === root) return say(cli.io, versionText());
    if (isHelp(word)) return say(cli.io, await formatHelp(root, at));
    const next: CliCommand | Group | undefined = getOwnMember(at.commands, word);
    if (!next) throw new UsageError(`unknown command "${word}"`, at.name);
    at = next;
    rest = after;
  }
  const options = rest.includes('--') ? rest.slice(0, rest.indexOf('--')) : rest;
  if (options.some(isHelp)) return say(cli.io, await formatHelp(root, at));
  const { name, run } = at;
  await run(rest).catch((error: unknown) => {
    throw isCittyError(error) ? Object.assign(error, { command: name }) : error;
  });
}

async function formatHelp(root: Group, at: CliCommand | Group): Promise<string> {
  const help = plain(await at.help()).trimEnd();
  return at === root ? `${help}\n\nEXIT CODES\n\n${exitCodeTable()}\n\n${VARIABLES}` : help;
}

const isHelp = (word: string): boolean => word === '--help' || word === '-h';
/** citty decides on colors by the environment alone and ignores the output stream. */
const plain = (text: string): string => stripVTControlCharacters(text);
/** citty does not export its error class for missing arguments. */
const isCittyError = (error: unknown): error is Error & { command?: string } =>
  error instanceof Error && error.name === 'CLIError';
