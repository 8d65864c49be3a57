// `millrace runs suspended`, `approve`, `deny`, `resume`, `answer` and `release`: list and answer the pending items of
// suspended runs.
import type { JsonValue, OpenPending, Suspension } from '@millrace/contracts';
import type { Client } from '@millrace/client';
import { cliCommand, jsonArg, withClient, type Cli, type CliCommand } from './cli-command.ts';
import { note, say, sayJson } from './cli-io.ts';
import { toOneLine } from './printable.ts';
import { table } from './table.ts';
import { UsageError } from './usage-error.ts';

const run = { type: 'positional', required: true, description: 'the id that `millrace run` printed' } as const;
const token = {
  type: 'positional',
  required: true,
  description: 'token of the question, as printed by `run` and `follow`',
} as const;
const data = { type: 'positional', required: true, description: 'JSON, or plain text' } as const;

export const suspendedCommand = (cli: Cli): CliCommand =>
  cliCommand(cli, {
    name: 'millrace runs suspended',
    description: 'List the pending items of suspended runs with their tokens (operators only).',
    args: { ...jsonArg },
    run: (args) =>
      withClient(cli.io, args, async (client) => {
        const suspended = await client.runs.listSuspended();
        if (args.json) return sayJson(cli.io, suspended);
        const rows = suspended.flatMap((one) => one.pending.map((pending) => row(one, pending)));
        say(cli.io, table(['RUN', 'KIND', 'BY', 'TOKEN', 'UNTIL', 'ASKS'], rows));
      }),
  });

function row({ runId }: Suspension, { kind, by, toolCall, resumeToken, expiresAt, payload }: OpenPending): string[] {
  const call = toolCall ? `${toolCall.toolName} ${JSON.stringify(toolCall.args)}: ` : '';
  return [runId, kind, by, resumeToken, expiresAt, call + asText(payload)];
}

const asText = (value: JsonValue | undefined): string =>
  toOneLine(typeof value === 'string' ? value : (JSON.stringify(value) ?? ''));

export const approveCommand = (cli: Cli): CliCommand => decideCommand(cli, 'approve', true);
export const denyCommand = (cli: Cli): CliCommand => decideCommand(cli, 'deny', false);

/** Applies to approvals only: a question needs more than yes or no. */
const decideCommand = (cli: Cli, verb: 'approve' | 'deny', approved: boolean): CliCommand =>
  cliCommand(cli, {
    name: `millrace runs ${verb}`,
    description: `${approved ? 'Approve' : 'Deny'} a pending item of a suspended run (operators only).`,
    args: {
      run,
      token: {
        type: 'positional',
        required: false,
        description: 'token as printed by `runs suspended`; optional if the run waits for exactly one approval',
      },
      reason: { type: 'string', description: 'reason, passed to the model if the call is denied' },
    },
    run: (args) =>
      withClient(cli.io, args, async (client) => {
        const found = args.token ?? (await findOnlyApproval(client, args.run, `millrace runs ${verb}`));
        const reason = args.reason === undefined ? {} : { reason: args.reason };
        await client.runs.resume(args.run, found, { approved, ...reason });
        note(cli.io, `[run] ${args.run} resumed: millrace follow ${args.run}`);
      }),
  });

async function findOnlyApproval(client: Client, runId: string, command: string): Promise<string> {
  const suspended = await client.runs.listSuspended();
  const pending = suspended.filter((one) => one.runId === runId).flatMap((one) => one.pending);
  const [first, ...others] = pending.filter(({ kind }) => kind === 'approval');
  if (!first) throw new UsageError(`${runId} waits for no approval: see millrace runs suspended`, command);
  if (others.length === 0) return first.resumeToken;
  throw new UsageError(`${runId} waits for ${others.length + 1} approvals: give the token of one`, command);
}

export const resumeCommand = (cli: Cli): CliCommand =>
  cliCommand(cli, {
    name: 'millrace runs resume',
    description: 'Answer any pending item of a suspended run (operators only).',
    args: { run, token, data },
    run: (args) => withClient(cli.io, args, (client) => client.runs.resume(args.run, args.token, parseData(args.data))),
  });

export const answerCommand = (cli: Cli): CliCommand =>
  cliCommand(cli, {
    name: 'millrace runs answer',
    description: 'Answer a question that a suspended run asked its caller.',
    args: { run, token, data },
    run: (args) => withClient(cli.io, args, (client) => client.runs.answer(args.run, args.token, parseData(args.data))),
  });

export const releaseCommand = (cli: Cli): CliCommand =>
  cliCommand(cli, {
    name: 'millrace runs release',
    description: 'End a suspended run as released, without an answer.',
    args: { run },
    run: (args) => withClient(cli.io, args, async (client) => say(cli.io, await client.runs.release(args.run))),
  });

function parseData(text: string): JsonValue {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
