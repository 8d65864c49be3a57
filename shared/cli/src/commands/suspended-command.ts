// `millrace runs suspended`, `approve`, `deny`, `resume`, `answer` and `release`: list and answer the pending items of
// suspended runs.
import {
  MillraceError,
  jsonObjectSchema,
  type JsonObject,
  type JsonValue,
  type OpenPending,
  type ShownPending,
  type Suspension,
} from '@millrace/contracts';
import type { Client } from '@millrace/client';
import { defineCliCommand, jsonArg, withClient, type Cli, type CliCommand } from '../command/cli-command.ts';
import { note, writeLine, writeJson } from '../command/cli-io.ts';
import { formatCommandLine } from '../command/command-name.ts';
import { toOneLine, formatTable } from '../command/printable.ts';
import { UsageError } from '../command/usage-error.ts';

const run = { type: 'positional', required: true, description: 'the id that `millrace run` printed' } as const;
const token = {
  type: 'string',
  description: 'token of the item, as `run`, `follow` and `runs suspended` print it; needed if several items wait',
} as const;
const data = { type: 'positional', required: true, description: 'JSON, or plain text' } as const;

export const defineSuspendedCommand = (cli: Cli): CliCommand =>
  defineCliCommand(cli, {
    name: 'millrace runs suspended',
    description: 'List the pending items of suspended runs with their tokens (operators only).',
    args: { ...jsonArg },
    run: (args) =>
      withClient(cli.io, args, async (client) => {
        const suspended = await client.runs.listSuspended();
        if (args.json) return writeJson(cli.io, suspended);
        const rows = suspended.flatMap((one) => one.pending.map((pending) => formatRow(one, pending)));
        writeLine(cli.io, formatTable(['RUN', 'KIND', 'BY', 'TOKEN', 'UNTIL', 'ASKS'], rows));
      }),
  });

function formatRow(
  { runId }: Suspension,
  { kind, by, toolCall, resumeToken, expiresAt, payload }: OpenPending,
): string[] {
  const call = toolCall ? `${toolCall.toolName} ${JSON.stringify(toolCall.args)}: ` : '';
  return [runId, kind, by, resumeToken, expiresAt, call + asText(payload)];
}

const asText = (value: JsonValue | undefined): string =>
  toOneLine(typeof value === 'string' ? value : (JSON.stringify(value) ?? ''));

/** Applies to approvals only, as `deny` does: a question needs more than yes or no. */
export const defineApproveCommand = (cli: Cli): CliCommand =>
  defineCliCommand(cli, {
    name: 'millrace runs approve',
    description: 'Approve a pending call of a suspended run (operators only).',
    args: {
      run,
      token,
      reason: { type: 'string', description: 'reason, stored with the approval' },
      arguments: {
        type: 'string',
        description: 'JSON object: call the tool with these arguments; the guards of the call judge them',
      },
    },
    async run({ arguments: given, ...args }) {
      const edited = given === undefined ? {} : { args: parseArguments(given) };
      return withClient(cli.io, args, async (client) => {
        const found = args.token ?? (await findOnlyPending(client, args.run, 'approve', 'approval'));
        const reason = args.reason === undefined ? {} : { reason: args.reason };
        await client.runs.resume(args.run, found, { approved: true, ...reason }, edited);
        reportResumed(cli, args.run);
      });
    },
  });

export const defineDenyCommand = (cli: Cli): CliCommand =>
  defineCliCommand(cli, {
    name: 'millrace runs deny',
    description: 'Deny a pending call of a suspended run (operators only).',
    args: { run, token, reason: { type: 'string', description: 'reason, passed to the model' } },
    run: (args) =>
      withClient(cli.io, args, async (client) => {
        const found = args.token ?? (await findOnlyPending(client, args.run, 'deny', 'approval'));
        const reason = args.reason === undefined ? {} : { reason: args.reason };
        await client.runs.resume(args.run, found, { approved: false, ...reason });
        reportResumed(cli, args.run);
      }),
  });

function parseArguments(text: string): JsonObject {
  const parsed = jsonObjectSchema.safeParse(parseData(text));
  if (parsed.success) return parsed.data;
  throw new UsageError('--arguments is a JSON object, for example \'{"eur": 40}\'', 'millrace runs approve');
}

/** Returns the token of the only pending item of the run, of one kind or of all. @throws as findOnly */
async function findOnlyPending(
  client: Client,
  runId: string,
  verb: string,
  kind?: OpenPending['kind'],
): Promise<string> {
  const suspended = await client.runs.listSuspended();
  const pending = suspended.filter((one) => one.runId === runId).flatMap((one) => one.pending);
  const items = kind === undefined ? pending : pending.filter((one) => one.kind === kind);
  return findOnly(client, runId, verb, items);
}

type WaitingItem = Pick<ShownPending, 'resumeToken' | 'kind'>;

/**
 * Returns the token of the only item.
 * @throws run-unknown, run-not-suspended; UsageError if several items wait, or none of that kind
 */
async function findOnly(client: Client, runId: string, verb: string, items: readonly WaitingItem[]): Promise<string> {
  const [first, ...others] = items;
  const name = NAMES[verb] ?? 'item';
  if (first?.resumeToken === undefined) {
    const { status } = await client.runs.get(runId);
    if (status !== 'suspended') throw createNotSuspendedError(runId, status);
    throw new UsageError(`${runId} waits for no ${name}: see \`runs suspended\``, `millrace runs ${verb}`);
  }
  if (others.length === 0) return first.resumeToken;
  throw new UsageError(`${runId} waits for ${items.length} ${name}s: name one by --token`, `millrace runs ${verb}`);
}

const createNotSuspendedError = (runId: string, status: string): MillraceError =>
  new MillraceError('run-not-suspended', `The run "${runId}" is ${status} and waits for nothing.`, {
    remedy: '`runs suspended` lists the runs that wait.',
  });

const NAMES: Readonly<Record<string, string>> = { approve: 'approval', deny: 'approval', answer: 'question' };

const reportResumed = ({ io }: Cli, runId: string): void =>
  note(io, `[run] ${runId} resumed: ${formatCommandLine(io.env, `follow ${runId}`)}`);

export const defineResumeCommand = (cli: Cli): CliCommand =>
  defineCliCommand(cli, {
    name: 'millrace runs resume',
    description: 'Answer any pending item of a suspended run (operators only).',
    args: { run, data, token },
    run: (args) =>
      withClient(cli.io, args, async (client) => {
        const found = args.token ?? (await findOnlyPending(client, args.run, 'resume'));
        await client.runs.resume(args.run, found, parseData(args.data));
        reportResumed(cli, args.run);
      }),
  });

export const defineAnswerCommand = (cli: Cli): CliCommand =>
  defineCliCommand(cli, {
    name: 'millrace runs answer',
    description: 'Answer a question that a suspended run asked its caller.',
    args: { run, data, token },
    run: (args) =>
      withClient(cli.io, args, async (client) => {
        const found = args.token ?? (await findOnly(client, args.run, 'answer', await listQuestions(client, args.run)));
        await client.runs.answer(args.run, found, parseData(args.data));
        reportResumed(cli, args.run);
      }),
  });

/** A caller without the rights of an operator reads its own questions with the run. */
async function listQuestions(client: Client, runId: string): Promise<ShownPending[]> {
  const { pending = [] } = await client.runs.get(runId);
  return pending.filter(({ kind }) => kind === 'question');
}

export const defineReleaseCommand = (cli: Cli): CliCommand =>
  defineCliCommand(cli, {
    name: 'millrace runs release',
    description: 'End a suspended run as released, without an answer.',
    args: { run },
    run: (args) => withClient(cli.io, args, async (client) => writeLine(cli.io, await client.runs.release(args.run))),
  });

function parseData(text: string): JsonValue {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
