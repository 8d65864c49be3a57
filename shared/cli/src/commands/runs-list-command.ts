// `millrace runs list`: prints the tenant's runs, the newest last, next to the prompt.
import { runStatusSchema, type RunStatus, type RunSummary } from '@millrace/contracts';
import type { Client } from '@millrace/client';
import { defineCliCommand, jsonArg, type Cli } from '../command/cli-command.ts';
import { parseCount } from '../command/duration.ts';
import { formatTable } from '../command/printable.ts';
import { showAnswer } from '../command/show-answer.ts';
import { UsageError } from '../command/usage-error.ts';

const NAME = 'millrace runs list';
const SHOWN = 20;
const PAGE = 1_000;

export const defineRunsListCommand = (cli: Cli) =>
  defineCliCommand(cli, {
    name: NAME,
    description: 'List the stored runs in the order of their last change.',
    args: {
      last: { type: 'string', description: `only the newest N (default: ${SHOWN})` },
      status: { type: 'string', description: 'only runs with this status, for example running' },
      agent: { type: 'string', description: 'only runs of this agent' },
      thread: { type: 'string', description: 'only runs on this thread' },
      resource: { type: 'string', description: 'only runs of this resource' },
      subject: { type: 'string', description: 'only runs that this caller submitted' },
      since: {
        type: 'string',
        description: 'only runs that were submitted then or later, for example 2026-01-31T12:00:00Z',
      },
      until: { type: 'string', description: 'only runs that were submitted before then' },
      ...jsonArg,
    },
    async run(args) {
      const last = args.last === undefined ? SHOWN : parseCount(args.last, '--last');
      const { agent, thread, resource, subject } = args;
      const filter = {
        status: args.status === undefined ? undefined : parseStatus(args.status),
        agent,
        threadId: thread,
        resourceId: resource,
        subject,
        since: parseTime(args.since, '--since'),
        until: parseTime(args.until, '--until'),
      };
      return showAnswer(cli.io, args, async (client) => {
        const { runs, isComplete } = await readNewestRuns(client, last, filter);
        const notes = isComplete ? [] : [`the newest ${runs.length} are shown; see --last`];
        return { json: runs, text: () => formatTable(HEADER, runs.map(formatRow)), notes };
      });
    },
  });

function parseTime(text: string | undefined, option: string): string | undefined {
  if (text === undefined) return undefined;
  const time = Date.parse(text);
  if (Number.isNaN(time))
    throw new UsageError(`${option} takes a time such as 2026-01-31T12:00:00Z, not "${text}"`, NAME);
  return new Date(time).toISOString();
}

function parseStatus(text: string): RunStatus {
  const parsed = runStatusSchema.safeParse(text);
  if (parsed.success) return parsed.data;
  throw new UsageError(`--status takes one of ${runStatusSchema.options.join(', ')}, not "${text}"`, NAME);
}

type ListFilter = Parameters<Client['runs']['list']>[0];

/** Returns the newest runs, the latest change last. */
async function readNewestRuns({ runs: api }: Client, last: number, filter: ListFilter) {
  const runs: RunSummary[] = [];
  let after: number | undefined;
  do {
    const limit = Math.min(PAGE, last - runs.length);
    const page = await api.list({ ...filter, newest: true, limit, ...(after !== undefined && { after }) });
    runs.unshift(...page.runs.toReversed());
    after = page.next;
  } while (after !== undefined && runs.length < last);
  return { runs, isComplete: after === undefined };
}

const HEADER = ['RUN', 'STATUS', 'AGENT', 'SUBMITTED', 'STARTED'];

const formatRow = ({ runId, status, agent, submittedAt, startedAt = '' }: RunSummary): string[] => [
  runId,
  status,
  agent,
  submittedAt,
  startedAt,
];
