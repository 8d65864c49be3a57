// `millrace runs changes`: prints the changes of each processor in a run.
import type { ChangedSegment, RunChange } from '@millrace/contracts';
import { defineCliCommand, jsonArg, withClient, type Cli } from '../command/cli-command.ts';
import { note, writeLine, writeJson } from '../command/cli-io.ts';
import { makePrintable } from '../command/printable.ts';

export const defineChangesCommand = (cli: Cli) =>
  defineCliCommand(cli, {
    name: 'millrace runs changes',
    description:
      'Print the changes of each processor, if the agent has `record: changes` (operators only). Text that the result of the run does not have is masked.',
    args: { run: { type: 'positional', required: true, description: 'its id' }, ...jsonArg },
    run: (args) =>
      withClient(cli.io, args, async (client) => {
        const { changes, omitted, lost } = await client.runs.changes(args.run);
        if (args.json) writeJson(cli.io, changes);
        else for (const change of changes) writeLine(cli.io, formatChange(change));
        if (omitted > 0) note(cli.io, `${omitted} changes above the bounds of a run are omitted`);
        if (lost > 0)
          note(
            cli.io,
            `the changes of ${lost} earlier owners are lost: they were killed or replaced, or the changes have expired`,
          );
        if (changes.length === 0)
          note(cli.io, 'no change is recorded: the agent needs `record: changes`, and the run has to end');
      }),
  });

function formatChange(change: RunChange): string {
  const { step, stage, entry = 'all entries', verdict, part, before, after, violations } = change;
  const found = violations.map(({ rule = 'finding', count }) => `${rule} × ${count}`);
  const lines = [
    [`step ${step}`, stage, entry, part ?? verdict, ...found].join('  '),
    ...(before ? [`  - ${formatSegments(before)}`] : []),
    ...(after ? [`  + ${formatSegments(after)}`] : []),
  ];
  return makePrintable(lines.join('\n'));
}

const formatSegments = (segments: readonly ChangedSegment[]): string =>
  segments
    .map((one) => ('text' in one ? one.text : `▒▒▒(${one.masked})`))
    .join('')
    .replaceAll('\n', '\n    ');
