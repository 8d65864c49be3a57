// `millrace processors`: who is up.
import type { ProcessorInfo } from '@millrace/client';
import { cliCommand, group, jsonArg, withClient, type Cli } from './cli-command.ts';
import { note, say, sayJson } from './cli-io.ts';
import { printable } from './printable.ts';
import { table } from './table.ts';

export const processorsCommand = (cli: Cli) =>
  group('millrace processors', 'See which processors are up', { list: listCommand(cli) });

const listCommand = (cli: Cli) =>
  cliCommand(cli, {
    name: 'millrace processors list',
    description: 'Every processor that answers discovery. --json has the schema of its options, too.',
    args: jsonArg,
    run: (args) =>
      withClient(cli.io, args, async (client) => {
        const { processors, refused } = await client.processors.survey();
        for (const { service, name, problem } of refused)
          note(cli.io, printable(`advertised but refused: ${name} of the service ${service}: ${problem}`));
        if (args.json) sayJson(cli.io, processors);
        else
          say(cli.io, table(['PROCESSOR', 'SERVICE', 'REPLICAS', 'VERSION', 'POLICY', 'STAGES'], processors.map(row)));
      }),
  });

function row({ id, service, replicas, version, policy, stages }: ProcessorInfo): string[] {
  const { timeoutMs, attempts, onFailure } = policy;
  return [
    id,
    service,
    String(replicas.length),
    version,
    `${timeoutMs} ms × ${attempts}, ${onFailure}`,
    stages.join(' '),
  ];
}
