// `millrace threads create`, `update`, `clone`, `truncate` and `delete`: change stored conversations.
import { jsonObjectSchema, type JsonObject } from '@millrace/contracts';
import { defineCliCommand, jsonArg, withClient, type Cli } from '../command/cli-command.ts';
import { writeLine, type CliIo } from '../command/cli-io.ts';
import { makePrintable } from '../command/printable.ts';
import { readJson } from '../command/read-json.ts';
import { requireYes } from '../command/require-yes.ts';
import { showAnswer } from '../command/show-answer.ts';
import { UsageError } from '../command/usage-error.ts';

const titleArgs = {
  title: { type: 'string', description: 'at most 200 characters' },
  metadata: { type: 'string', description: 'file with a JSON object, at most 4,096 bytes; - reads stdin' },
} as const;

export const defineCreateCommand = (cli: Cli) =>
  defineCliCommand(cli, {
    name: 'millrace threads create',
    description: 'Create a thread without messages.',
    args: {
      thread: { type: 'positional', required: false, description: 'its id (default: a new one)' },
      ...titleArgs,
      resource: { type: 'string', description: 'owner of the thread (default: the thread itself)' },
      ...jsonArg,
    },
    async run(args) {
      const { thread, title, resource } = args;
      const metadata = await readMetadata(cli.io, args.metadata, 'millrace threads create');
      return showAnswer(cli.io, args, async (client) => {
        const created = await client.threads.create({ threadId: thread, title, resourceId: resource, ...metadata });
        return { json: created, text: () => makePrintable(`${created.id} is created: ${created.title}`) };
      });
    },
  });

export const defineUpdateCommand = (cli: Cli) =>
  defineCliCommand(cli, {
    name: 'millrace threads update',
    description: "Set the title of a thread, or replace the caller's metadata as a whole, or both.",
    args: { thread: { type: 'positional', required: true, description: 'its id' }, ...titleArgs, ...jsonArg },
    async run(args) {
      const change = { title: args.title, ...(await readMetadata(cli.io, args.metadata, 'millrace threads update')) };
      if (change.title === undefined && change.metadata === undefined)
        throw new UsageError('give --title, --metadata or both', 'millrace threads update');
      return showAnswer(cli.io, args, async (client) => {
        const updated = await client.threads.update(args.thread, change);
        return { json: updated, text: () => makePrintable(`${updated.id} is updated: ${updated.title}`) };
      });
    },
  });

export const defineCloneCommand = (cli: Cli) =>
  defineCliCommand(cli, {
    name: 'millrace threads clone',
    description: 'Copy a thread to a new one of the same owner, as a whole or up to a message.',
    args: {
      thread: { type: 'positional', required: true, description: 'its id' },
      new: { type: 'positional', required: false, description: 'id of the copy (default: a new one)' },
      'up-to': { type: 'string', description: 'id of the last message to copy (default: that of the thread)' },
      ...jsonArg,
    },
    run: (args) =>
      showAnswer(cli.io, args, async (client) => {
        const clone = await client.threads.clone(args.thread, { upTo: args['up-to'], newThreadId: args.new });
        const text = `${clone.id} is a copy of ${args.thread}, ${clone.messageCount} messages`;
        return { json: clone, text: () => makePrintable(text) };
      }),
  });

async function readMetadata(io: CliIo, file: string | undefined, command: string): Promise<{ metadata?: JsonObject }> {
  return file === undefined ? {} : { metadata: await readJson<JsonObject>(io, file, jsonObjectSchema, command) };
}

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
