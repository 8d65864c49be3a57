// `millrace api-keys`: creates, lists and revokes the API keys of a tenant.
import { budgetAmountSchema, SCOPES, type IdentityLimits, type Scope, type ShownKey } from '@millrace/contracts';
import { defineCliCommand, group, jsonArg, withClient, type Cli } from '../command/cli-command.ts';
import { note, writeLine } from '../command/cli-io.ts';
import { parseCount, parseExpiry } from '../command/duration.ts';
import { formatTable } from '../command/printable.ts';
import { showAnswer } from '../command/show-answer.ts';
import { UsageError } from '../command/usage-error.ts';

export const defineApiKeysCommand = (cli: Cli) =>
  group('millrace api-keys', 'Create, list and revoke API keys', {
    create: defineCreateCommand(cli),
    list: defineListCommand(cli),
    revoke: defineRevokeCommand(cli),
  });

const CREATE = 'millrace api-keys create';

const defineCreateCommand = (cli: Cli) =>
  defineCliCommand(cli, {
    name: CREATE,
    description: 'Create an API key, and print it. No later command can print it again.',
    args: {
      scopes: { type: 'string', required: true, description: `rights, separated by commas: ${SCOPES.join(', ')}` },
      subject: {
        type: 'string',
        description: 'identity that owns its runs and memory; needed by run, read and answer',
      },
      agents: { type: 'string', description: 'agents that it may run, separated by commas (default: all)' },
      expires: {
        type: 'string',
        description: 'duration or date after which it is refused, such as 90d (default: never)',
      },
      label: { type: 'string', description: 'a note for the list' },
      'requests-per-minute': { type: 'string', description: 'limit of the gateway' },
      streams: { type: 'string', description: 'limit of the gateway: streams that are open at the same time' },
      'tokens-per-day': { type: 'string', description: 'limit of the gateway: tokens of models' },
      'cost-per-day': { type: 'string', description: 'budget in the currency of the prices: docs/limits.md' },
      'cost-per-month': { type: 'string', description: 'the same for a month' },
      ...jsonArg,
    },
    async run(args) {
      const limits = readLimits(args);
      const request = {
        scopes: parseScopes(args.scopes),
        ...(args.subject !== undefined && { subject: args.subject }),
        ...(args.agents !== undefined && { agents: splitList(args.agents) }),
        ...(args.expires !== undefined && { expiresAt: parseExpiry(args.expires, Date.now()) }),
        ...(args.label !== undefined && { label: args.label }),
        ...(limits && { limits }),
      };
      return showAnswer(cli.io, args, async (client) => {
        const created = await client.keys.create(request);
        // The key alone on stdout, for $(…).
        if (!args.json) note(cli.io, `key ${created.id}: it is not stored and cannot be printed again`);
        return { json: created, text: () => created.key };
      });
    },
  });

const defineListCommand = (cli: Cli) =>
  defineCliCommand(cli, {
    name: 'millrace api-keys list',
    description: 'List the API keys of the tenant, without their secrets.',
    args: jsonArg,
    run: (args) =>
      showAnswer(cli.io, args, async (client) => {
        const keys = await client.keys.list();
        return { json: keys, text: () => formatTable(HEADER, keys.map(formatKey)) };
      }),
  });

const defineRevokeCommand = (cli: Cli) =>
  defineCliCommand(cli, {
    name: 'millrace api-keys revoke',
    description: 'Refuse an API key from now on, and end the connections that use it.',
    args: { id: { type: 'positional', required: true, description: 'an id that `millrace api-keys list` prints' } },
    run: (args) =>
      withClient(cli.io, args, async (client) => {
        await client.keys.revoke(args.id);
        writeLine(cli.io, `${args.id} is revoked`);
      }),
  });

const HEADER = ['ID', 'SCOPES', 'SUBJECT', 'AGENTS', 'EXPIRES', 'LABEL'];

const formatKey = ({ id, scopes, subject = '-', agents, expiresAt, label = '' }: ShownKey): string[] => {
  const hasExpired = expiresAt !== undefined && Date.parse(expiresAt) <= Date.now();
  const expiry = expiresAt === undefined ? 'never' : `${expiresAt}${hasExpired ? ' (expired)' : ''}`;
  return [id, scopes.join(','), subject, agents?.join(',') ?? 'all', expiry, label];
};

const splitList = (text: string): string[] => text.split(',').map((item) => item.trim());
const isScope = (text: string): text is Scope => SCOPES.some((scope) => scope === text);

function parseScopes(text: string): Scope[] {
  return splitList(text).map((item) => {
    if (isScope(item)) return item;
    throw new UsageError(`--scopes takes ${SCOPES.join(', ')}, separated by commas, not "${item}"`, CREATE);
  });
}

type LimitArgs = {
  'requests-per-minute'?: string | undefined;
  streams?: string | undefined;
  'tokens-per-day'?: string | undefined;
  'cost-per-day'?: string | undefined;
  'cost-per-month'?: string | undefined;
};

function readLimits(args: LimitArgs): IdentityLimits | undefined {
  const { 'requests-per-minute': requests, streams, 'tokens-per-day': tokens } = args;
  const { 'cost-per-day': day, 'cost-per-month': month } = args;
  const limits = {
    ...(requests !== undefined && { requestsPerMinute: parseCount(requests, '--requests-per-minute') }),
    ...(streams !== undefined && { streams: parseCount(streams, '--streams') }),
    ...(tokens !== undefined && { tokensPerDay: parseCount(tokens, '--tokens-per-day') }),
    ...(day !== undefined && { costPerDay: parseAmount(day, '--cost-per-day') }),
    ...(month !== undefined && { costPerMonth: parseAmount(month, '--cost-per-month') }),
  };
  return Object.keys(limits).length > 0 ? limits : undefined;
}

function parseAmount(text: string, flag: string): number {
  const amount = budgetAmountSchema.safeParse(Number(text));
  if (amount.success) return amount.data;
  throw new UsageError(`${flag} takes an amount of money above 0, not "${text}"`, CREATE);
}
