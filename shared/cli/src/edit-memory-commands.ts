// `millrace threads create`, `rename`, `truncate` and `delete`, `millrace messages` and `millrace memory set`: change stored conversations and
// working memory.
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { jsonObjectSchema, messageSchema, type JsonObject, type Message } from '@millrace/contracts';
import { z } from 'zod';
import { defineCliCommand, group, jsonArg, withClient, type Cli } from './cli-command.ts';
import { note, writeLine, writeJson, type CliIo } from './cli-io.ts';
import { parseCount } from './duration.ts';
import { makePrintable } from './printable.ts';
import { UsageError } from './usage-error.ts';

export const defineCreateCommand = (cli: Cli) =>
  defineCliCommand(cli, {
    name: 'millrace threads create',
    description: 'Create a thread without messages.',
    args: {
      thread: { type: 'positional', required: false, description: 'its id (default: a new one)' },
      title: { type: 'string', description: 'at most 200 characters' },
      metadata: { type: 'string', description: 'file with a JSON object, at most 4,096 bytes; - reads stdin' },
      resource: { type: 'string', description: 'owner of the thread (default: the thread itself)' },
      ...jsonArg,
    },
    async run(args) {
      const { thread, title, resource } = args;
      const metadata = args.metadata === undefined ? {} : { metadata: await readObject(cli.io, args.metadata) };
      return withClient(cli.io, args, async (client) => {
        const created = await client.threads.create({ threadId: thread, title, resourceId: resource, ...metadata });
        if (args.json) writeJson(cli.io, created);
        else writeLine(cli.io, makePrintable(`${created.id} is created: ${created.title}`));
      });
    },
  });

const readObject = (io: CliIo, file: string): Promise<JsonObject> =>
  readJson<JsonObject>(io, file, jsonObjectSchema, 'millrace threads create');

export const defineRenameCommand = (cli: Cli) =>
  defineCliCommand(cli, {
    name: 'millrace threads rename',
    description: 'Give a thread a title.',
    args: {
      thread: { type: 'positional', required: true, description: 'its id' },
      title: { type: 'positional', required: true, description: 'at most 200 characters' },
    },
    run: (args) =>
      withClient(cli.io, args, async (client) => {
        const { id, title } = await client.threads.update(args.thread, { title: args.title });
        writeLine(cli.io, makePrintable(`${id} is renamed: ${title}`));
      }),
  });

export const defineTruncateCommand = (cli: Cli) =>
  defineCliCommand(cli, {
    name: 'millrace threads truncate',
    description: 'Delete a message and all later ones of a thread, with their vectors.',
    args: {
      thread: { type: 'positional', required: true, description: 'its id' },
      from: { type: 'positional', required: true, description: 'id of the first message to delete' },
      last: { type: 'string', required: true, description: 'id of the last message: another one is an error' },
      yes: { type: 'boolean', description: 'required: a deletion cannot be undone' },
    },
    async run(args) {
      requireYes(args.yes, 'millrace threads truncate');
      return withClient(cli.io, args, async (client) => {
        const { deleted, total } = await client.threads.truncate(args.thread, { from: args.from, last: args.last });
        writeLine(cli.io, `${deleted} messages are deleted, ${total} remain`);
      });
    },
  });

export const deleteCommand = (cli: Cli) =>
  defineCliCommand(cli, {
    name: 'millrace threads delete',
    description: 'Delete a thread with its messages, their vectors, and the working memory of the thread.',
    args: {
      thread: { type: 'positional', required: true, description: 'its id' },
      yes: { type: 'boolean', description: 'required: a deletion cannot be undone' },
    },
    async run(args) {
      requireYes(args.yes, 'millrace threads delete');
      return withClient(cli.io, args, async (client) => {
        const messages = await client.threads.delete(args.thread);
        writeLine(cli.io, `${args.thread} is deleted, with ${messages} messages`);
      });
    },
  });

export const defineMessagesCommand = (cli: Cli) =>
  group('millrace messages', 'Import and delete messages', {
    save: saveMessagesCommand(cli),
    delete: deleteMessagesCommand(cli),
  });

const saveMessagesCommand = (cli: Cli) =>
  defineCliCommand(cli, {
    name: 'millrace messages save',
    description: 'Append messages to a thread. No guard judges them.',
    args: {
      thread: { type: 'positional', required: true, description: 'its id; it begins if it does not exist' },
      file: { type: 'positional', required: true, description: 'file with a JSON array of messages; - reads stdin' },
      resource: { type: 'string', description: 'owner of a new thread (default: the thread itself)' },
    },
    async run(args) {
      const messages = await readJson(cli.io, args.file, messagesSchema, 'millrace messages save');
      return withClient(cli.io, args, async (client) => {
        const total = await client.messages.save(args.thread, messages, { resourceId: args.resource });
        writeLine(cli.io, `${messages.length} messages are saved; ${args.thread} has ${total}`);
      });
    },
  });

const deleteMessagesCommand = (cli: Cli) =>
  defineCliCommand(cli, {
    name: 'millrace messages delete',
    description: 'Delete messages of a thread and their vectors.',
    args: {
      thread: { type: 'positional', required: true, description: 'its id' },
      ids: { type: 'string', required: true, description: 'ids of the messages, comma-separated' },
      yes: { type: 'boolean', description: 'required: a deletion cannot be undone' },
    },
    async run(args) {
      requireYes(args.yes, 'millrace messages delete');
      const ids = args.ids.split(',').filter((id) => id !== '');
      return withClient(cli.io, args, async (client) => {
        const { deleted, total } = await client.messages.delete(args.thread, ids);
        writeLine(cli.io, `${deleted} messages are deleted; ${args.thread} has ${total}`);
      });
    },
  });

export const defineMemorySetCommand = (cli: Cli) =>
  defineCliCommand(cli, {
    name: 'millrace memory set',
    description: 'Replace the working memory of a resource or a thread. No guard judges it.',
    args: {
      file: { type: 'positional', required: true, description: 'file with a JSON object, or null; - reads stdin' },
      resource: { type: 'string', description: 'owner of the memory' },
      thread: { type: 'string', description: 'the thread' },
      version: { type: 'string', description: 'replace only this version, as `millrace memory show` prints it' },
      ...jsonArg,
    },
    async run(args) {
      const name = 'millrace memory set';
      if (args.resource === undefined && args.thread === undefined)
        throw new UsageError('give an owner: --resource R, or --thread T', name);
      const version = args.version === undefined ? {} : { version: parseCount(args.version, '--version') };
      const memory = await readJson<JsonObject | null>(cli.io, args.file, jsonObjectSchema.nullable(), name);
      return withClient(cli.io, args, async (client) => {
        const address = { resourceId: args.resource, threadId: args.thread };
        const set = await client.memory.set({ ...address, ...version }, memory);
        if (args.json) writeJson(cli.io, set);
        else note(cli.io, `the memory is replaced, version ${set.version}`);
      });
    },
  });

const messagesSchema: z.ZodType<Message[]> = z.array(messageSchema).min(1);
const MAX_BYTES = 8 * 1024 * 1024;

async function readJson<T>(io: CliIo, file: string, schema: z.ZodType<T>, command: string): Promise<T> {
  const text = file === '-' ? await io.stdin.read(MAX_BYTES) : await readText(io, file, command);
  const parsed = schema.safeParse(parseText(text, file, command));
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new UsageError(`${file}: ${issue?.path.join('.') ?? ''} ${issue?.message ?? 'is invalid'}`, command);
}

async function readText(io: CliIo, file: string, command: string): Promise<string> {
  return readFile(resolve(io.cwd, file), 'utf8').catch((error: unknown) => {
    throw new UsageError(`${file} cannot be read: ${String(error)}`, command);
  });
}

function parseText(text: string, file: string, command: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new UsageError(`${file} holds no JSON`, command);
  }
}

function requireYes(yes: boolean | undefined, command: string): void {
  if (yes !== true) throw new UsageError('a deletion cannot be undone: repeat the command with --yes', command);
}
