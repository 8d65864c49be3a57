// `millrace runs suspended`, `approve`, `deny`, `resume`, `answer` and `release`: list and answer the pending items of
// suspended runs.
import {
  MillraceError,
  jsonObjectSchema,
  type JsonObject,
  type JsonValue,
  type OpenPending,
  type Suspension,
  type ShownPending,
} from '@millrace/contracts';
import type { Client } from '@millrace/client';
import {
  defineCliCommand,
  jsonArg,
  withClient,
  type AddressArgs,
  type Cli,
  type CliCommand,
} from '../command/cli-command.ts';
import { note, writeLine } from '../command/cli-io.ts';
import { formatCommandLine } from '../command/command-name.ts';
import { toOneLine, formatTable } from '../command/printable.ts';
import { showAnswer } from '../command/show-answer.ts';
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
      showAnswer(cli.io, args, async (client) => {
        const suspended = await client.runs.listSuspended();
        const rows = suspended.flatMap((one) => one.pending.map((pending) => formatRow(one, pending)));
        return { json: suspended, text: () => formatTable(['RUN', 'KIND', 'BY', 'TOKEN', 'UNTIL', 'ASKS'], rows) };
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
    async run(args) {
      const edited = args.arguments === undefined ? {} : { args: parseArguments(args.arguments) };
      const decision = { approved: true, ...(args.reason !== undefined && { reason: args.reason }) };
      await answerItem(cli, 'approve', args, ({ runs }, found) => runs.resume(args.run, found, decision, edited));
    },
  });

export const defineDenyCommand = (cli: Cli): CliCommand =>
  defineCliCommand(cli, {
    name: 'millrace runs deny',
    description: 'Deny a pending call of a suspended run (operators only).',
    args: { run, token, reason: { type: 'string', description: 'reason, passed to the model' } },
    async run(args) {
      const decision = { approved: false, ...(args.reason !== undefined && { reason: args.reason }) };
      await answerItem(cli, 'deny', args, ({ runs }, found) => runs.resume(args.run, found, decision));
    },
  });

export const defineResumeCommand = (cli: Cli): CliCommand =>
  defineCliCommand(cli, {
    name: 'millrace runs resume',
    description: 'Answer any pending item of a suspended run (operators only).',
    args: { run, data, token },
    run: (args) =>
      answerItem(cli, 'resume', args, ({ runs }, found) => runs.resume(args.run, found, parseData(args.data))),
  });

export const defineAnswerCommand = (cli: Cli): CliCommand =>
  defineCliCommand(cli, {
    name: 'millrace runs answer',
    description: 'Answer a question that a suspended run asked its caller.',
    args: { run, data, token },
    run: (args) =>
      answerItem(cli, 'answer', args, ({ runs }, found) => runs.answer(args.run, found, parseData(args.data))),
  });

function parseArguments(text: string): JsonObject {
  const parsed = jsonObjectSchema.safeParse(parseData(text));
  if (parsed.success) return parsed.data;
  throw new UsageError('--arguments is a JSON object, for example \'{"eur": 40}\'', 'millrace runs approve');
}

/** The verbs, each with the noun of its items. */
const NAMES = { approve: 'approval', deny: 'approval', resume: 'item', answer: 'question' } as const;
type AnswerVerb = keyof typeof NAMES;
type PendingArgs = AddressArgs & { run: string; token?: string | undefined };

/** Sends the answer to the item of the token, or to the only item that the verb applies to. @throws as findOnly */
const answerItem = (
  cli: Cli,
  verb: AnswerVerb,
  args: PendingArgs,
  send: (client: Client, token: string) => Promise<unknown>,
): Promise<void> =>
  withClient(cli.io, args, async (client) => {
    await send(client, args.token ?? (await findOnly(client, args.run, verb)));
    note(cli.io, `[run] ${args.run} resumed: ${formatCommandLine(cli.io.env, `follow ${args.run}`)}`);
  });

/**
 * Returns the token of the only item.
 * @throws run-unknown, run-not-suspended; UsageError if several items wait, or none that the verb applies to
 */
async function findOnly(client: Client, runId: string, verb: AnswerVerb): Promise<string> {
  const items = await listItems(client, runId, verb);
  const [first, ...others] = items;
  const name = NAMES[verb];
  if (first?.resumeToken === undefined) {
    const { status } = await client.runs.get(runId);
    if (status !== 'suspended') throw createNotSuspendedError(runId, status);
    throw new UsageError(`${runId} waits for no ${name}: see \`runs suspended\``, `millrace runs ${verb}`);
  }
  if (others.length === 0) return first.resumeToken;
  throw new UsageError(`${runId} waits for ${items.length} ${name}s: name one by --token`, `millrace runs ${verb}`);
}

/** A caller without the rights of an operator reads its own questions with the run. */
async function listItems(client: Client, runId: string, verb: AnswerVerb): Promise<readonly ShownPending[]> {
  const pending =
    verb === 'answer'
      ? ((await client.runs.get(runId)).pending ?? [])
      : (await client.runs.listSuspended()).filter((one) => one.runId === runId).flatMap((one) => one.pending);
  return verb === 'resume' ? pending : pending.filter(({ kind }) => kind === NAMES[verb]);
}

const createNotSuspendedError = (runId: string, status: string): MillraceError =>
  new MillraceError('run-not-suspended', `The run "${runId}" is ${status} and waits for nothing.`, {
    remedy: '`runs suspended` lists the runs that wait.',
  });

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
