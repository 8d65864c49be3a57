// `millrace threads` and `millrace memory`: what is remembered.
import { messageText, type Message, type MessagePart } from '@millrace/contracts';
import { cliCommand, group, jsonArg, withClient, type Cli } from './cli-command.ts';
import { note, say, sayJson } from './cli-io.ts';
import { parseCount } from './duration.ts';
import { oneLine, printable } from './printable.ts';
import { table } from './table.ts';
import { threadTitles } from './thread-titles.ts';
import { UsageError } from './usage-error.ts';

export const threadsCommand = (cli: Cli) =>
  group('millrace threads', 'Read conversations', { list: listCommand(cli), messages: messagesCommand(cli) });
export const memoryCommand = (cli: Cli) =>
  group('millrace memory', 'Read working memory', { show: memoryShowCommand(cli) });

/** What is not shown is said: a list must not look complete. */
const more = (shown: number, total: number) => (shown < total ? `${shown} of ${total} are shown; see --limit` : '');

const listCommand = (cli: Cli) =>
  cliCommand(cli, {
    name: 'millrace threads list',
    description: 'The conversations, of one resource or of all.',
    args: {
      resource: { type: 'string', description: 'who owns them' },
      limit: { type: 'string', description: 'how many (default: 100)' },
      ...jsonArg,
    },
    async run(args) {
      const limit = args.limit === undefined ? {} : { limit: parseCount(args.limit, '--limit') };
      return withClient(cli.io, args, async (client) => {
        const { threads, total } = await client.threads.list({ resourceId: args.resource, ...limit });
        const titles = args.json ? [] : await threadTitles(client, threads);
        const rows = threads.map(({ id, resourceId, messageCount, lastMessageAt, updatedAt }, at) => [
          id,
          resourceId ?? '-',
          String(messageCount),
          lastMessageAt ?? updatedAt,
          titles[at] ?? '',
        ]);
        if (args.json) sayJson(cli.io, threads);
        else say(cli.io, table(['THREAD', 'RESOURCE', 'MESSAGES', 'LAST', 'TITLE'], rows));
        const rest = more(threads.length, total);
        if (rest !== '') note(cli.io, rest);
      });
    },
  });

const messagesCommand = (cli: Cli) =>
  cliCommand(cli, {
    name: 'millrace threads messages',
    description: 'What was said in a thread, in order.',
    args: {
      thread: { type: 'positional', required: true, description: 'its id' },
      last: { type: 'string', description: 'only the newest so many' },
      limit: { type: 'string', description: 'how many (default: 100)' },
      ...jsonArg,
    },
    async run(args) {
      const last = args.last === undefined ? {} : { last: parseCount(args.last, '--last') };
      const limit = args.limit === undefined ? {} : { limit: parseCount(args.limit, '--limit') };
      return withClient(cli.io, args, async (client) => {
        const { messages, total, unsaved = [] } = await client.threads.messages(args.thread, { ...limit, ...last });
        if (args.json) sayJson(cli.io, messages);
        else for (const message of messages) say(cli.io, messageLine(message));
        const rest = more(messages.length, total);
        if (rest !== '' && args.last === undefined) note(cli.io, rest);
        for (const { runId, code } of unsaved) note(cli.io, `run ${runId} is not stored yet (${code})`);
      });
    },
  });

function messageLine(message: Message): string {
  const parts = message.content.parts.flatMap(partText).map((part) => `  ${part}`);
  const text = messageText(message);
  return printable(
    [`${message.role}  ${message.createdAt}`, ...parts, ...(text === '' ? [] : [indented(text)])].join('\n'),
  );
}

const indented = (text: string): string => `  ${text.replaceAll('\n', '\n  ')}`;

function partText(part: MessagePart): string[] {
  if (part.type === 'file') return [`[file] ${part.mimeType}`];
  if (part.type !== 'tool-invocation') return [];
  const { toolName, args, result, isError, denied } = part.toolInvocation;
  const outcome =
    result === undefined ? '' : ` ${denied ? 'denied:' : isError ? 'failed:' : '→'} ${oneLine(JSON.stringify(result))}`;
  return [`[tool] ${toolName} ${oneLine(JSON.stringify(args))}${outcome}`];
}

const memoryShowCommand = (cli: Cli) =>
  cliCommand(cli, {
    name: 'millrace memory show',
    description: 'The working memory of a resource or a thread, as JSON.',
    args: {
      resource: { type: 'string', description: 'whose' },
      thread: { type: 'string', description: 'of one thread' },
    },
    async run(args) {
      if (args.resource === undefined && args.thread === undefined)
        throw new UsageError('say whose: --resource R, or --thread T', 'millrace memory show');
      return withClient(cli.io, args, async (client) => {
        const { memory, version } = await client.memory.get({ resourceId: args.resource, threadId: args.thread });
        note(cli.io, memory === null ? 'nothing is remembered' : `version ${version}`);
        sayJson(cli.io, memory);
      });
    },
  });
