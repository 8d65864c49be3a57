// `millrace threads search`: finds messages by meaning.
import { defineCliCommand, jsonArg, type Cli } from '../command/cli-command.ts';
import { parseCount } from '../command/duration.ts';
import { toOneLine, formatTable } from '../command/printable.ts';
import { showAnswer } from '../command/show-answer.ts';
import { UsageError } from '../command/usage-error.ts';

const NAME = 'millrace threads search';
const MAX_SHOWN_CHARS = 100;

export const defineSearchCommand = (cli: Cli) =>
  defineCliCommand(cli, {
    name: NAME,
    description: 'Search the messages of a resource by meaning: those that semantic recall has indexed.',
    args: {
      query: { type: 'positional', required: true, description: 'a text in quotes, at most 4,000 characters' },
      resource: { type: 'string', description: 'owner of the messages' },
      thread: { type: 'string', description: 'only this thread; required without --resource' },
      limit: { type: 'string', description: 'maximum number of messages, at most 50 (default: 10)' },
      ...jsonArg,
    },
    async run(args) {
      if (args.resource === undefined && args.thread === undefined)
        throw new UsageError('give an owner: --resource R, or --thread T', NAME);
      const limit = args.limit === undefined ? {} : { limit: parseCount(args.limit, '--limit') };
      return showAnswer(cli.io, args, async (client) => {
        const address = { resourceId: args.resource, threadId: args.thread };
        const hits = await client.threads.search(args.query, { ...address, ...limit });
        const rows = hits.map(({ score, threadId, role, createdAt, text }) => [
          score.toFixed(2),
          threadId,
          role,
          createdAt,
          toOneLine(text, MAX_SHOWN_CHARS),
        ]);
        const table = hits.length === 0 ? undefined : formatTable(['SCORE', 'THREAD', 'ROLE', 'AT', 'TEXT'], rows);
        const notes = hits.length === 0 && !args.json ? ['no message is indexed'] : [];
        return { json: hits, text: () => table, notes };
      });
    },
  });
