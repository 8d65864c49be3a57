// `millrace runs list`: prints the tenant's runs, the newest last, next to the prompt.
import { runStatusSchema, type RunStatus, type RunSummary } from '@millrace/contracts';
import type { Client } from '@millrace/client';
import { cliCommand, jsonArg, withClient, type Cli } from './cli-command.ts';
import { note, say, sayJson } from './cli-io.ts';
import { parseCount } from './duration.ts';
import { table } from './table.ts';
import { UsageError } from './usage-error.ts';

const NAME = 'millrace runs list';
const SHOWN = 20;
const PAGE = 1_000;
/** Maximum number of pages; the command reports if a tenant has more runs. */
const MAX_PAGES = 100;

export const runsListCommand = (cli: Cli) =>
  cliCommand(cli, {
    name: NAME,
    description: 'List the stored runs in the order of their last change.',
    args: {
      last: { type: 'string', description: `only the newest N (default: ${SHOWN})` },
      status: { type: 'string', description: 'only runs with this status, for example running' },
      ...jsonArg,
    },
    async run(args) {
      const last = args.last === undefined ? SHOWN : parseCount(args.last, '--last');
      const status = args.status === undefined ? undefined : parseStatus(args.status);
      return withClient(cli.io, args, async (client) => {
        const { runs, total, complete } = await newestRuns(client, last, status);
        if (args.json) sayJson(cli.io, runs);
        else say(cli.io, table(['RUN', 'STATUS', 'AGENT', 'SUBMITTED', 'STARTED'], runs.map(row)));
        if (runs.length < total) note(cli.io, `the newest ${runs.length} of ${total} are shown; see --last`);
        if (!complete) note(cli.io, `the list exceeds ${MAX_PAGES * PAGE} runs: these may not be the newest`);
      });
    },
  });

function parseStatus(text: string): RunStatus {
  const parsed = runStatusSchema.safeParse(text);
  if (parsed.success) return parsed.data;
  throw new UsageError(`--status takes one of ${runStatusSchema.options.join(', ')}, not "${text}"`, NAME);
}

async function newestRuns({ runs: api }: Client, last: number, status: RunStatus | undefined) {
  let runs: RunSummary[] = [];
  let total = 0;
  let after: number | undefined;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const answer = await api.list({ limit: PAGE, ...(after !== undefined && { after }) });
    const found = answer.runs.filter((run) => status === undefined || run.status === status);
    total += found.length;
    runs = [...runs, ...found].slice(-last);
    after = answer.next;
    if (after === undefined) return { runs, total, complete: true };
  }
  return { runs, total, complete: false };
}

const row = ({ runId, status, agent, submittedAt, startedAt = '' }: RunSummary): string[] => [
  runId,
  status,
  agent,
  submittedAt,
  startedAt,
];
