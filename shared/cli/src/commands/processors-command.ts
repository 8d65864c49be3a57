// `millrace processors`: lists the running processors and shows the options of each.
import { MillraceError, type ClaimEvent, type RefusedEndpoint } from '@millrace/contracts';
import type { ProcessorInfo } from '@millrace/client';
import { defineCliCommand, group, jsonArg, type Cli } from '../command/cli-command.ts';
import { note } from '../command/cli-io.ts';
import { makePrintable, formatTable } from '../command/printable.ts';
import { showAnswer, type ShownAnswer } from '../command/show-answer.ts';
import { formatPolicy, formatProcessor } from '../text/processor-text.ts';

export const defineProcessorsCommand = (cli: Cli) =>
  group('millrace processors', 'List the running processors', {
    list: defineListCommand(cli),
    show: defineShowCommand(cli),
  });

const defineListCommand = (cli: Cli) =>
  defineCliCommand(cli, {
    name: 'millrace processors list',
    description: 'List every running processor. --json includes the schema of its options.',
    args: {
      problems: {
        type: 'boolean',
        description: 'only rejected advertisements with their problems, and the stored claims of names',
      },
      ...jsonArg,
    },
    run: (args) =>
      showAnswer(cli.io, args, async (client) => {
        const { processors, refused, refusedTotal, claims } = await client.processors.survey();
        if (refusedTotal > refused.length)
          note(cli.io, `${refusedTotal} advertisements are rejected, of which ${refused.length} are listed`);
        if (claims === undefined) note(cli.io, 'the stored claims of names are unavailable');
        if (args.problems === true) return describeProblems({ refused, claims: claims ?? [] }, args.json === true);
        for (const { service, name, problem } of refused)
          note(cli.io, makePrintable(`rejected advertisement: ${name} of the service ${service}: ${problem}`));
        return { json: processors, text: () => formatTable(HEADER, processors.map(formatRow)) };
      }),
  });

type Problems = { refused: readonly RefusedEndpoint[]; claims: readonly ClaimEvent[] };

function describeProblems({ refused, claims }: Problems, asJson: boolean): ShownAnswer {
  const lines = [
    ...refused.map(({ service, name, problem }) => `${name} of the service ${service}: ${problem}`),
    ...claims.map(
      ({ at, name, service, owner }) => `${at} the service ${service} advertised ${name}, which ${owner} serves`,
    ),
  ];
  return {
    json: [...refused, ...claims],
    text: () => lines.map(makePrintable).join('\n') || undefined,
    notes: refused.length === 0 && !asJson ? ['no advertisement is rejected'] : [],
  };
}

const defineShowCommand = (cli: Cli) =>
  defineCliCommand(cli, {
    name: 'millrace processors show',
    description: 'Show a processor: its stages, its policy, and its options with their defaults.',
    args: {
      processor: { type: 'positional', required: true, description: 'its id, or an alias of another framework' },
      ...jsonArg,
    },
    run: (args) =>
      showAnswer(cli.io, args, async (client) => {
        const { processors } = await client.processors.survey();
        const found = processors.find(({ id, aliases }) => id === args.processor || aliases.includes(args.processor));
        if (!found)
          throw new MillraceError('processor-unknown', `No running service advertises "${args.processor}".`, {
            remedy: 'Run millrace processors list for the running processors.',
          });
        return { json: found, text: () => formatProcessor(found) };
      }),
  });

const HEADER = ['PROCESSOR', 'SERVICE', 'REPLICAS', 'VERSION', 'POLICY', 'STAGES'];

function formatRow({ id, service, replicas, version, policy, stages }: ProcessorInfo): string[] {
  return [id, service, String(replicas.length), version, formatPolicy(policy), stages.join(' ')];
}
