// `millrace threads` and `millrace memory`: print stored conversations and working memory.
import {
  readMessageText,
  type Message,
  type MessagePart,
  DEFAULT_THREAD_TITLE,
  MillraceError,
  type Thread,
} from '@millrace/contracts';
import { defineSearchCommand } from './search-command.ts';
import { defineMemorySetCommand } from './edit-memory-commands.ts';
import {
  defineCloneCommand,
  defineCreateCommand,
  defineTruncateCommand,
  defineUpdateCommand,
  deleteCommand,
} from './edit-threads-commands.ts';
import { defineCliCommand, group, jsonArg, withClient, type Cli } from '../command/cli-command.ts';
import { note, writeJson } from '../command/cli-io.ts';
import { parseCount } from '../command/duration.ts';
import { toOneLine, makePrintable, formatTable } from '../command/printable.ts';
import { showAnswer } from '../command/show-answer.ts';
import { UsageError } from '../command/usage-error.ts';
import type { Client } from '@millrace/client';

export const defineThreadsCommand = (cli: Cli) =>
  group('millrace threads', 'Create, read, search, update, copy, cut and delete conversations', {
    list: defineListCommand(cli),
    messages: defineMessagesCommand(cli),
    search: defineSearchCommand(cli),
    create: defineCreateCommand(cli),
    update: defineUpdateCommand(cli),
    clone: defineCloneCommand(cli),
    truncate: defineTruncateCommand(cli),
    delete: deleteCommand(cli),
  });
export const defineMemoryCommand = (cli: Cli) =>
  group('millrace memory', 'Read and replace working memory', {
    show: defineMemoryShowCommand(cli),
    set: defineMemorySetCommand(cli),
  });

/** Reports omitted rows: a list must not look complete. */
const formatRemaining = (shown: number, total: number): string[] =>
  shown < total ? [`${shown} of ${total} are shown; see --limit`] : [];

const defineListCommand = (cli: Cli) =>
  defineCliCommand(cli, {
    name: 'millrace threads list',
    description: 'List the conversations of one resource or of all.',
    args: {
      resource: { type: 'string', description: 'owner of the threads' },
      limit: { type: 'string', description: 'maximum number of threads (default: 100)' },
      ...jsonArg,
    },
    async run(args) {
      const limit = args.limit === undefined ? {} : { limit: parseCount(args.limit, '--limit') };
      return showAnswer(cli.io, args, async (client) => {
        const { threads, total } = await client.threads.list({ resourceId: args.resource, ...limit });
        const titles = args.json ? [] : await listThreadTitles(client, threads);
        const rows = threads.map(({ id, resourceId, messageCount, lastMessageAt, updatedAt }, at) => [
          id,
          resourceId ?? '-',
          String(messageCount),
          lastMessageAt ?? updatedAt,
          titles[at] ?? '',
        ]);
        return {
          json: threads,
          text: () => formatTable(['THREAD', 'RESOURCE', 'MESSAGES', 'LAST', 'TITLE'], rows),
          notes: formatRemaining(threads.length, total),
        };
      });
    },
  });

const defineMessagesCommand = (cli: Cli) =>
  defineCliCommand(cli, {
    name: 'millrace threads messages',
    description: 'Print the messages of a thread in order.',
    args: {
      thread: { type: 'positional', required: true, description: 'its id' },
      last: { type: 'string', description: 'only the newest N' },
      limit: { type: 'string', description: 'maximum number of messages (default: 100)' },
      ...jsonArg,
    },
    async run(args) {
      const last = args.last === undefined ? {} : { last: parseCount(args.last, '--last') };
      const limit = args.limit === undefined ? {} : { limit: parseCount(args.limit, '--limit') };
      return showAnswer(cli.io, args, async (client) => {
        const { messages, total, unsaved = [] } = await client.threads.messages(args.thread, { ...limit, ...last });
        const notes = [
          ...(args.last === undefined ? formatRemaining(messages.length, total) : []),
          ...unsaved.map(({ runId, code }) => `run ${runId} is not stored yet (${code})`),
        ];
        return { json: messages, text: () => messages.map(formatMessage).join('\n') || undefined, notes };
      });
    },
  });

function formatMessage(message: Message): string {
  const parts = message.content.parts.flatMap(formatPart).map((part) => `  ${part}`);
  const text = readMessageText(message);
  return makePrintable(
    [`${message.role}  ${message.createdAt}`, ...parts, ...(text === '' ? [] : [indent(text)])].join('\n'),
  );
}

const indent = (text: string): string => `  ${text.replaceAll('\n', '\n  ')}`;

function formatPart(part: MessagePart): string[] {
  if (part.type === 'file') return [`[file] ${part.mimeType}`];
  if (part.type !== 'tool-invocation') return [];
  const { toolName, args, result, isError, denied } = part.toolInvocation;
  const outcome =
    result === undefined
      ? ''
      : ` ${denied ? 'denied:' : isError ? 'failed:' : '→'} ${toOneLine(JSON.stringify(result))}`;
  return [`[tool] ${toolName} ${toOneLine(JSON.stringify(args))}${outcome}`];
}

const defineMemoryShowCommand = (cli: Cli) =>
  defineCliCommand(cli, {
    name: 'millrace memory show',
    description: 'Print the working memory of a resource or a thread as JSON.',
    args: {
      resource: { type: 'string', description: 'owner of the memory' },
      thread: { type: 'string', description: 'the thread' },
    },
    async run(args) {
      if (args.resource === undefined && args.thread === undefined)
        throw new UsageError('give an owner: --resource R, or --thread T', 'millrace memory show');
      return withClient(cli.io, args, async (client) => {
        const { memory, version } = await client.memory.get({ resourceId: args.resource, threadId: args.thread });
        note(cli.io, memory === null ? 'the working memory is empty' : `version ${version}`);
        writeJson(cli.io, memory);
      });
    },
  });

const MAX_LENGTH = 60;
/** Maximum number of concurrent requests. */
const AT_ONCE = 8;

/** Returns a label for each thread in order: its title, or the first words of its first message. */
async function listThreadTitles(client: Client, threads: readonly Thread[]): Promise<string[]> {
  const titles: string[] = [];
  for (let at = 0; at < threads.length; at += AT_ONCE)
    titles.push(...(await Promise.all(threads.slice(at, at + AT_ONCE).map((thread) => loadTitle(client, thread)))));
  return titles;
}

async function loadTitle(client: Client, { id, title, messageCount }: Thread): Promise<string> {
  if (title !== DEFAULT_THREAD_TITLE || messageCount === 0) return title;
  try {
    const { messages } = await client.threads.messages(id, { limit: 1 });
    const [first] = messages;
    const words = first ? toOneLine(readMessageText(first), MAX_LENGTH) : '';
    return words === '' ? title : `"${words}"`;
  } catch (error) {
    // A missing title must not fail the list: the thread may have been deleted since.
    if (MillraceError.isInstance(error)) return title;
    throw error;
  }
}
