// Lists the commands of the root. A command's module is imported when the command is called, so that the help and a
// short command do not load the client, the schemas and the rest.
import type { Cli } from './command/cli-command.ts';
import type { CliCommand, Group, LazyCommand } from './command/command-group.ts';

type LoadedCommand = CliCommand | Group;
type TableRow = { description: string; load: (cli: Cli) => Promise<LoadedCommand> };

const COMMANDS: Readonly<Record<string, TableRow>> = {
  run: {
    description: 'Send TEXT to an agent and stream its answer',
    load: async (cli) => (await import('./run/run-command.ts')).defineRunCommand(cli),
  },
  chat: {
    description: 'Talk to an agent on this terminal',
    load: async (cli) => (await import('./run/chat-command.ts')).defineChatCommand(cli),
  },
  follow: {
    description: 'Follow a run from its start',
    load: async (cli) => (await import('./run/run-command.ts')).defineFollowCommand(cli),
  },
  cancel: {
    description: 'Cancel a run',
    load: async (cli) => (await import('./run/run-command.ts')).cancelCommand(cli),
  },
  runs: {
    description: 'Inspect runs, and answer suspended ones',
    load: async (cli) => (await import('./commands/runs-command.ts')).defineRunsCommand(cli),
  },
  tap: {
    description: 'Print chunks and events as they pass',
    load: async (cli) => (await import('./commands/tap-command.ts')).defineTapCommand(cli),
  },
  agents: {
    description: 'Apply, read and delete agents',
    load: async (cli) => (await import('./commands/agents-command.ts')).defineAgentsCommand(cli),
  },
  processors: {
    description: 'List the running processors',
    load: async (cli) => (await import('./commands/processors-command.ts')).defineProcessorsCommand(cli),
  },
  call: {
    description: 'Call one processor or tool alone, without an agent',
    load: async (cli) => (await import('./commands/call-command.ts')).defineCallCommand(cli),
  },
  dev: {
    description: 'Run a processor or tool, and restart it when its sources change',
    load: async (cli) => (await import('./dev/dev-command.ts')).defineDevCommand(cli),
  },
  check: {
    description: 'Check a running processor or tool against docs/wire.md',
    load: async (cli) => (await import('./commands/check-command.ts')).defineCheckCommand(cli),
  },
  threads: {
    description: 'Create, read, search, update, copy, cut and delete conversations',
    load: async (cli) => (await import('./commands/memory-command.ts')).defineThreadsCommand(cli),
  },
  messages: {
    description: 'Import and delete messages',
    load: async (cli) => (await import('./commands/edit-memory-commands.ts')).defineMessagesCommand(cli),
  },
  memory: {
    description: 'Read and replace working memory',
    load: async (cli) => (await import('./commands/memory-command.ts')).defineMemoryCommand(cli),
  },
  erase: {
    description: 'Erase a resource in every store',
    load: async (cli) => (await import('./commands/erase-command.ts')).defineEraseCommand(cli),
  },
  'dead-letters': {
    description: 'Read and retry dead letters',
    load: async (cli) => (await import('./commands/dead-letters-command.ts')).defineDeadLettersCommand(cli),
  },
  doctor: {
    description: 'Check connection, services, versions, rights, clock and room',
    load: async (cli) => (await import('./doctor/doctor-command.ts')).defineDoctorCommand(cli),
  },
  logs: {
    description: 'Print the logs of the local stack',
    load: async (cli) => (await import('./commands/logs-command.ts')).defineLogsCommand(cli),
  },
  restart: {
    description: 'Restart one service of the local stack',
    load: async (cli) => (await import('./commands/stack-commands.ts')).defineRestartCommand(cli),
  },
  scale: {
    description: 'Set the number of replicas of one service of the local stack',
    load: async (cli) => (await import('./commands/stack-commands.ts')).defineScaleCommand(cli),
  },
  env: {
    description: 'Print the addresses and keys of the local stack as variables',
    load: async (cli) => (await import('./commands/env-command.ts')).defineEnvCommand(cli),
  },
  'api-keys': {
    description: 'Create, list and revoke API keys',
    load: async (cli) => (await import('./commands/api-keys-command.ts')).defineApiKeysCommand(cli),
  },
  keys: {
    description: 'Create the keys of the roles and of the servers',
    load: async (cli) => (await import('./commands/keys-command.ts')).defineKeysCommand(cli),
  },
  schemas: {
    description: 'Print the JSON Schemas of the wire',
    load: async (cli) => (await import('./commands/schemas-command.ts')).defineSchemasCommand(cli),
  },
  new: {
    description: 'Create a processor or a tool',
    load: async (cli) => (await import('./new/new-command.ts')).defineNewCommand(cli),
  },
};

export function listCommands(cli: Cli): Readonly<Record<string, LazyCommand>> {
  const bound = Object.entries(COMMANDS).map(([name, { description, load }]): [string, LazyCommand] => [
    name,
    { description, load: () => load(cli) },
  ]);
  const loadAll = async (): Promise<Record<string, LoadedCommand>> =>
    Object.fromEntries(await Promise.all(bound.map(async ([name, { load }]) => [name, await load()])));
  return {
    ...Object.fromEntries(bound),
    completion: {
      description: 'Print the completion of a shell',
      load: async () => (await import('./commands/completion-command.ts')).defineCompletionCommand(cli, loadAll),
    },
  };
}
