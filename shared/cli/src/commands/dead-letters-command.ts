// `millrace dead-letters`: lists runs and saves that Millrace gave up, and retries them.
import type { ShownDeadLetter } from '@millrace/contracts';
import { defineCliCommand, group, jsonArg, type Cli } from '../command/cli-command.ts';
import { toOneLine, formatTable } from '../command/printable.ts';
import { showAnswer } from '../command/show-answer.ts';

const PAGE = 1_000;

export const defineDeadLettersCommand = (cli: Cli) =>
  group('millrace dead-letters', 'Read and retry dead letters', {
    list: defineListCommand(cli),
    retry: defineRetryCommand(cli),
  });

const defineListCommand = (cli: Cli) =>
  defineCliCommand(cli, {
    name: 'millrace dead-letters list',
    description: 'List runs that exceeded the takeover limit, and saves whose store did not recover.',
    args: jsonArg,
    run: (args) =>
      showAnswer(cli.io, args, async (client) => {
        const { letters, next } = await client.deadLetters.list({ limit: PAGE });
        const notes = next === undefined ? [] : [`only the first ${letters.length} are shown`];
        return { json: letters, text: () => formatTable(HEADER, letters.map(formatRow)), notes };
      }),
  });

const defineRetryCommand = (cli: Cli) =>
  defineCliCommand(cli, {
    name: 'millrace dead-letters retry',
    description: 'Start the run again under a new id that is printed, or defer the save once more.',
    args: {
      run: { type: 'positional', required: true, description: 'an id that `millrace dead-letters list` prints' },
      ...jsonArg,
    },
    run: (args) =>
      showAnswer(cli.io, args, async (client) => {
        const retried = await client.deadLetters.retry(args.run);
        return { json: retried, text: () => retried.runId };
      }),
  });

const HEADER = ['RUN', 'WHAT', 'AGENT', 'AT', 'RETRIED AS', 'WHY'];

const formatRow = ({ runId, what, agent, at, retriedAs = '', error, entries = [] }: ShownDeadLetter): string[] => [
  runId,
  what === 'save' ? `save: ${entries.join(', ')}` : what,
  agent,
  at,
  retriedAs,
  toOneLine(`${error.message} (${error.code})`, 200),
];
