// `millrace messages` and `millrace memory set`: change stored messages and working memory.
import { jsonObjectSchema, messageSchema, type JsonObject, type Message } from '@millrace/contracts';
import { z } from 'zod';
import { defineCliCommand, group, jsonArg, withClient, type Cli } from '../command/cli-command.ts';
import { note, writeLine, writeJson } from '../command/cli-io.ts';
import { parseCount } from '../command/duration.ts';
import { readJson } from '../command/read-json.ts';
import { requireYes } from '../command/require-yes.ts';
import { UsageError } from '../command/usage-error.ts';

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
