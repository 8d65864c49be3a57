// Defines the common parts of all commands: the connection options, the rejection of unknown arguments, and the mapping
// of results to exit codes.
import { parseArgs } from 'node:util';
import { defineCommand, renderUsage, runCommand, type ArgsDef, type ParsedArgs } from 'citty';
import type { BusLog } from '@millrace/bus';
import { MillraceError, getOwnMember, readPrefix } from '@millrace/contracts';
import { connect, type Client } from '@millrace/client';
import { note, type CliIo } from './cli-io.ts';
import { group, type CliCommand } from './command-group.ts';
import type { Exit } from './exit-code-table.ts';
import { toOneLine } from './printable.ts';
import { suggestName } from '@millrace/contracts/nearest-name';
import { explainMisusedArgument } from './misused-argument.ts';
import { UsageError } from './usage-error.ts';

const addressArgs = {
  tenant: { type: 'string', description: 'tenant of the agents, runs and threads (default: default)' },
  url: { type: 'string', description: 'NATS address (default: NATS_URL, .millrace/stack.json, localhost:4222)' },
} as const satisfies ArgsDef;
export { group, type CliCommand };
export const jsonArg = { json: { type: 'boolean', description: 'print JSON' } } as const satisfies ArgsDef;

export type Cli = { io: CliIo; exit: Exit };
export type AddressArgs = { tenant?: string | undefined; url?: string | undefined };

type CliDefinition<A extends ArgsDef> = {
  /** The full name, as typed. */
  name: string;
  description: string;
  args: A;
  /** Returns the exit; `ok` if undefined. */
  run(args: ParsedArgs<A & typeof addressArgs>): Promise<Exit | void>;
};

export function defineCliCommand<const A extends ArgsDef>(cli: Cli, definition: CliDefinition<A>): CliCommand {
  const { name, description } = definition;
  const args = { ...definition.args, ...addressArgs };
  const command = defineCommand<typeof args>({
    meta: { name, description },
    args,
    async run(context) {
      refuseUnknown(name, args, context.args);
      refuseTwice(name, args, context.rawArgs);
      try {
        cli.exit = (await definition.run(context.args)) ?? 'ok';
      } catch (error) {
        throw (MillraceError.isInstance(error) && explainMisusedArgument(error, name, args, context.args)) || error;
      }
    },
  });
  return {
    name,
    description,
    options: listOptions(args),
    formatHelp: () => renderUsage(command),
    run: async (argv) => void (await runCommand(command, { rawArgs: argv })),
  };
}

const listOptions = (args: ArgsDef): string[] =>
  Object.entries(args).flatMap(([name, { type }]) => (type === 'positional' ? [] : [name]));

/** citty accepts unknown options; a misspelled option must be rejected. */
function refuseUnknown(name: string, args: ArgsDef, given: Record<string, unknown> & { _: string[] }): void {
  for (const [option, value] of Object.entries(given)) {
    if (option === '_') continue;
    // citty passes `dry-run` as `dryRun` too.
    const known =
      getOwnMember(args, option) ??
      getOwnMember(
        args,
        option.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`),
      );
    if (!known) {
      const message = `unknown option ${option.length > 1 ? '--' : '-'}${option}`;
      throw new UsageError(suggestName(message, option, listOptions(args)), name);
    }
    if (known.type === 'string' && typeof value !== 'string')
      throw new UsageError(`unknown option --no-${option}`, name);
    if (known.type === 'string' && value === '') throw new UsageError(`--${option} needs a value`, name);
  }
  const positionals = Object.values(args).filter(({ type }) => type === 'positional').length;
  const surplus = given._[positionals];
  if (surplus !== undefined)
    throw new UsageError(`unexpected argument "${surplus}"; put text with spaces in quotes`, name);
}

/** citty uses the last of two values and would drop the first silently. */
function refuseTwice(name: string, args: ArgsDef, given: string[]): void {
  const options = Object.fromEntries(
    Object.entries(args).flatMap(([option, { type }]) =>
      type === 'string' || type === 'boolean' ? [[option, { type }] as const] : [],
    ),
  );
  const { tokens } = parseArgs({ args: given, options, strict: false, tokens: true });
  const seen = new Set<string>();
  for (const token of tokens) {
    if (token.kind !== 'option') continue;
    const option = token.name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
    if (seen.has(option)) throw new UsageError(`--${option} is given twice`, name);
    seen.add(option);
  }
}

/** Reports changes of the connection on stderr. */
function createConnectionLog(io: CliIo): BusLog {
  const described: Record<string, string> = {
    'nats: disconnect': '[nats] connection lost; retrying',
    'nats: reconnect': '[nats] reconnected',
  };
  const doNothing = () => undefined;
  return {
    debug: doNothing,
    info: (_, message) => {
      if (described[message] !== undefined) note(io, described[message]);
    },
    warn: (fields, message) => note(io, formatLogLine(message, fields)),
    error: (fields, message) => note(io, formatLogLine(message, fields)),
  };
}

/** Appends the log fields, because the message alone names neither the object nor the cause. */
function formatLogLine(message: string, fields: object): string {
  const described = Object.entries(fields).map(([name, value]) => `${name} ${asText(value)}`);
  return `[client] ${message}: ${toOneLine(described.join(', '), 1_000)}`;
}
const asText = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''));

/** Maximum time to close the connection if the server is unreachable, in ms. */
const CLOSE_MS = 1_000;

export async function withClient<T>(io: CliIo, args: AddressArgs, use: (client: Client) => Promise<T>): Promise<T> {
  const { env, cwd } = io;
  const client = await connect({
    env,
    cwd,
    log: createConnectionLog(io),
    ...(args.url !== undefined && { url: args.url }),
    ...(args.tenant !== undefined && { tenant: args.tenant }),
    prefix: readPrefix(env),
  });
  try {
    return await use(client);
  } finally {
    const bound = Promise.withResolvers<void>();
    const timer = setTimeout(bound.resolve, CLOSE_MS);
    await Promise.race([client.close(), bound.promise]);
    clearTimeout(timer);
  }
}
