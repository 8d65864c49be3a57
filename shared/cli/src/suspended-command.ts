// `millrace runs suspended`, `approve`, `deny`, `resume`, `answer` and `release`: what suspended runs wait for, and how that is answered.
import type { JsonValue, OpenPending, Suspension } from '@millrace/contracts';
import type { Client } from '@millrace/client';
import { cliCommand, jsonArg, withClient, type Cli, type Command } from './cli-command.ts';
import { note, say, sayJson } from './cli-io.ts';
import { oneLine } from './printable.ts';
import { table } from './table.ts';
import { UsageError } from './usage-error.ts';

const run = { type: 'positional', required: true, description: 'the id that `millrace run` printed' } as const;
const token = {
  type: 'positional',
  required: true,
  description: 'of the question: `run` and `follow` print it',
} as const;
const data = { type: 'positional', required: true, description: 'JSON, or else a text' } as const;

export const suspendedCommand = (cli: Cli): Command =>
  cliCommand(cli, {
    name: 'millrace runs suspended',
    description: 'What suspended runs wait for, with the tokens: for operators.',
    args: { ...jsonArg },
    run: (args) =>
      withClient(cli.io, args, async (client) => {
        const suspended = await client.runs.suspended();
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
  oneLine(typeof value === 'string' ? value : (JSON.stringify(value) ?? ''));

export const approveCommand = (cli: Cli): Command => decideCommand(cli, 'approve', true);
export const denyCommand = (cli: Cli): Command => decideCommand(cli, 'deny', false);

/** Only approvals: a question wants more than yes or no. */
const decideCommand = (cli: Cli, verb: 'approve' | 'deny', approved: boolean): Command =>
  cliCommand(cli, {
    name: `millrace runs ${verb}`,
    description: `${approved ? 'Approve' : 'Deny'} what a suspended run waits for: for operators.`,
    args: {
      run,
      token: {
        type: 'positional',
        required: false,
        description: 'what `runs suspended` shows; may be left out where the run waits for one approval alone',
      },
      reason: { type: 'string', description: 'why: the model is told when it is denied' },
    },
    run: (args) =>
      withClient(cli.io, args, async (client) => {
        const found = args.token ?? (await onlyApproval(client, args.run, `millrace runs ${verb}`));
        const reason = args.reason === undefined ? {} : { reason: args.reason };
        await client.runs.resume(args.run, found, { approved, ...reason });
        note(cli.io, `[run] ${args.run} goes on: millrace follow ${args.run}`);
      }),
  });

async function onlyApproval(client: Client, runId: string, command: string): Promise<string> {
  const suspended = await client.runs.suspended();
  const pending = suspended.filter((one) => one.runId === runId).flatMap((one) => one.pending);
  const [first, ...others] = pending.filter(({ kind }) => kind === 'approval');
  if (!first) throw new UsageError(`${runId} waits for no approval: see millrace runs suspended`, command);
  if (others.length === 0) return first.resumeToken;
  throw new UsageError(`${runId} waits for ${others.length + 1} approvals: give the token of one`, command);
}

export const resumeCommand = (cli: Cli): Command =>
  cliCommand(cli, {
    name: 'millrace runs resume',
    description: 'Answer what a suspended run waits for, whatever it is: for operators.',
    args: { run, token, data },
    run: (args) => withClient(cli.io, args, (client) => client.runs.resume(args.run, args.token, dataOf(args.data))),
  });

export const answerCommand = (cli: Cli): Command =>
  cliCommand(cli, {
    name: 'millrace runs answer',
    description: 'Answer a question that a suspended run asked its caller.',
    args: { run, token, data },
    run: (args) => withClient(cli.io, args, (client) => client.runs.answer(args.run, args.token, dataOf(args.data))),
  });

export const releaseCommand = (cli: Cli): Command =>
  cliCommand(cli, {
    name: 'millrace runs release',
    description: 'Give up waiting: a suspended run ends as released.',
    args: { run },
    run: (args) => withClient(cli.io, args, async (client) => say(cli.io, await client.runs.release(args.run))),
  });

function dataOf(text: string): JsonValue {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
