// `millrace agents`: applies, lists, shows, plans and deletes agents.
import { formatModels, MillraceError, type WireError } from '@millrace/contracts';
import { stringify } from 'yaml';
import { parseAgentFile, withPlaces, type AgentFile, type Client } from '@millrace/client';
import { applyAgent } from './apply-agent.ts';
import { defineCliCommand, group, jsonArg, withClient, type Cli } from '../command/cli-command.ts';
import { note, writeLine, type CliIo } from '../command/cli-io.ts';
import { parseDuration } from '../command/duration.ts';
import { formatPlan } from '../text/plan-text.ts';
import { makePrintable, formatTable } from '../command/printable.ts';
import { readTextFile } from '../command/read-json.ts';
import { formatCodedError } from '../command/report-error.ts';
import { showAnswer } from '../command/show-answer.ts';

export const defineAgentsCommand = (cli: Cli) =>
  group('millrace agents', 'Apply, read and delete agents', {
    apply: applyCommand(cli),
    list: defineListCommand(cli),
    show: defineShowCommand(cli),
    plan: definePlanCommand(cli),
    delete: deleteCommand(cli),
  });

const applyCommand = (cli: Cli) =>
  defineCliCommand(cli, {
    name: 'millrace agents apply',
    description: 'Check the agent in FILE (YAML or JSON), resolve its plan, and store both.',
    args: {
      file: {
        type: 'positional',
        required: true,
        description: 'agent file; ${VAR} and ${VAR:-default} in its strings are replaced from the environment',
      },
      wait: { type: 'string', description: 'retry for this duration while services are missing, for example 30s' },
      'dry-run': { type: 'boolean', description: 'check only' },
    },
    async run(args) {
      const waitMs = args.wait === undefined ? 0 : parseDuration(args.wait, '--wait');
      const dryRun = args['dry-run'] === true;
      const file = await readAgentFile(cli.io, args.file);
      const { tenant, url } = args;
      const { applied, changed, warnings } = await applyAgent(cli.io, file, { tenant, url, dryRun, waitMs });
      for (const warning of warnings) note(cli.io, formatWarning(warning));
      const revision = `revision ${applied.revision}`;
      if (!changed) writeLine(cli.io, `${applied.agent.name} is unchanged, ${revision}`);
      else
        writeLine(
          cli.io,
          dryRun ? `${applied.agent.name} can be applied` : `${applied.agent.name} is applied, ${revision}`,
        );
    },
  });

const defineListCommand = (cli: Cli) =>
  defineCliCommand(cli, {
    name: 'millrace agents list',
    description: 'List the applied agents.',
    args: jsonArg,
    run: (args) =>
      showAnswer(cli.io, args, async (client) => {
        const agents = await client.agents.list();
        const rows = agents.map(({ agent, revision, appliedAt }) => [
          agent.name,
          String(revision),
          formatModels(agent.model),
          appliedAt,
          agent.description ?? '',
        ]);
        return { json: agents, text: () => formatTable(['NAME', 'REVISION', 'MODEL', 'APPLIED', 'DESCRIPTION'], rows) };
      }),
  });

const defineShowCommand = (cli: Cli) =>
  defineCliCommand(cli, {
    name: 'millrace agents show',
    description: 'Show the applied definition of an agent.',
    args: { name: { type: 'positional', required: true, description: 'the agent' }, ...jsonArg },
    run: (args) =>
      showAnswer(cli.io, args, async (client) => {
        const applied = await client.agents.get(args.name);
        const head = `# revision ${applied.revision}, applied ${applied.appliedAt}`;
        return { json: applied, text: () => makePrintable(`${head}\n${stringify(applied.agent).trimEnd()}`) };
      }),
  });

const deleteCommand = (cli: Cli) =>
  defineCliCommand(cli, {
    name: 'millrace agents delete',
    description: 'Delete an agent. Its active runs continue to their end.',
    args: { name: { type: 'positional', required: true, description: 'the agent' } },
    run: (args) =>
      withClient(cli.io, args, async (client) => {
        const { agent, revision } = await client.agents.delete(args.name);
        writeLine(cli.io, `${agent} is deleted, revision ${revision}`);
      }),
  });

const definePlanCommand = (cli: Cli) =>
  defineCliCommand(cli, {
    name: 'millrace agents plan',
    description: 'List the processors that an agent calls, by stage and in order.',
    args: {
      agent: {
        type: 'positional',
        required: true,
        description: 'its name, or a FILE (a name with a dot or a slash is a file)',
      },
      ...jsonArg,
    },
    run: (args) =>
      showAnswer(cli.io, args, async (client) => {
        const applied = await requestPlan(cli.io, client, args.agent);
        // The text lists the stages that are not called.
        const warnings = applied.warnings?.filter(({ code }) => code !== 'stage-not-called') ?? [];
        return { json: applied, text: () => formatPlan(applied), notes: args.json ? [] : warnings.map(formatWarning) };
      }),
  });

const formatWarning = (warning: WireError): string =>
  makePrintable(formatCodedError(warning).replace(/^error/, 'warning'));

async function requestPlan(io: CliIo, client: Client, nameOrFile: string) {
  if (!/[./\\]/.test(nameOrFile)) return client.agents.plan({ agent: nameOrFile });
  const file = await readAgentFile(io, nameOrFile);
  return client.agents.plan({ definition: file.definition }).catch((error: unknown) => {
    throw MillraceError.isInstance(error) && error.code === 'agent-invalid' ? withPlaces(error, file) : error;
  });
}

async function readAgentFile(io: CliIo, path: string): Promise<AgentFile> {
  return parseAgentFile(path, await readTextFile(io, path), io.env);
}
