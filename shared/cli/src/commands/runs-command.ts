// `millrace runs`: prints status, events and pending items of runs, and answers pending items.
import type { Env } from '@millrace/bus';
import type { ApiAnswer } from '@millrace/contracts';
import { defineChangesCommand } from './changes-command.ts';
import { defineCliCommand, group, jsonArg, type Cli } from '../command/cli-command.ts';
import { formatInspection } from '../text/activity-text.ts';
import { formatEvents } from '../text/events-text.ts';
import { formatPending, formatStatus, formatViolation } from '../text/outcome-text.ts';
import { toOneLine, makePrintable } from '../command/printable.ts';
import { showAnswer } from '../command/show-answer.ts';
import { defineRunsListCommand } from './runs-list-command.ts';
import {
  defineAnswerCommand,
  defineApproveCommand,
  defineDenyCommand,
  defineReleaseCommand,
  defineResumeCommand,
  defineSuspendedCommand,
} from './suspended-command.ts';

const runArg = {
  run: { type: 'positional', required: true, description: 'the id that `millrace run` printed' },
} as const;

export const defineRunsCommand = (cli: Cli) =>
  group('millrace runs', 'Inspect runs, and answer suspended ones', {
    list: defineRunsListCommand(cli),
    show: defineShowCommand(cli),
    events: defineEventsCommand(cli),
    changes: defineChangesCommand(cli),
    suspended: defineSuspendedCommand(cli),
    approve: defineApproveCommand(cli),
    deny: defineDenyCommand(cli),
    resume: defineResumeCommand(cli),
    answer: defineAnswerCommand(cli),
    release: defineReleaseCommand(cli),
  });

const defineShowCommand = (cli: Cli) =>
  defineCliCommand(cli, {
    name: 'millrace runs show',
    description: 'Show status and result of a run, and its calls under way. Exits with 0 for a failed run, too.',
    args: { ...runArg, ...jsonArg },
    run: (args) =>
      showAnswer(cli.io, args, async (client) => {
        const run = await client.runs.get(args.run);
        const inspection = run.result ? undefined : await client.runs.inspect(args.run);
        const inspected = inspection ? [formatInspection(inspection)] : [];
        return {
          json: { ...run, ...(inspection && { inspection }) },
          text: () => [runText(run, cli.io.env), ...inspected].join('\n'),
        };
      }),
  });

const defineEventsCommand = (cli: Cli) =>
  defineCliCommand(cli, {
    name: 'millrace runs events',
    description: 'List the stages, model calls and tools of a run with verdicts and durations.',
    args: {
      ...runArg,
      detail: { type: 'boolean', description: 'include reasons and findings (operators only)' },
      ...jsonArg,
    },
    run: (args) =>
      showAnswer(cli.io, args, async (client) => {
        const events =
          args.detail === true ? await client.runs.eventsDetail(args.run) : await client.runs.events(args.run);
        return { json: events, text: () => formatEvents(events) };
      }),
  });

function runText({ runId, status, result, pending = [] }: ApiAnswer<'run'>, env: Env): string {
  if (!result) return `run: ${runId}\nstatus: ${status}`;
  const { finishReason, usage, steps, error, violations, text, unsaved = [] } = result;
  const lines = [
    `run: ${runId}`,
    `status: ${formatStatus(result)}`,
    `finish reason: ${finishReason}`,
    `steps: ${steps.length}`,
    `tokens: ${usage.totalTokens ?? 'unknown'}${usage.estimated ? ' (in part estimated)' : ''}`,
    ...(unsaved.length > 0 ? [`not saved yet: ${unsaved.join(', ')}`] : []),
    ...(error ? [`error: ${toOneLine(error.message, 1_000)} (${error.code})`] : []),
    ...pending.flatMap((one) => formatPending(runId, one, env)),
    ...violations.map((violation) => `violation: ${formatViolation(violation)}`),
    ...(text === '' ? [] : ['', text]),
  ];
  return makePrintable(lines.join('\n'));
}
