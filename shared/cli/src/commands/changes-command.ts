// `millrace runs changes`: prints the changes of each processor in a run.
import type { ChangedSegment, RunChange } from '@millrace/contracts';
import { defineCliCommand, jsonArg, type Cli } from '../command/cli-command.ts';
import { makePrintable } from '../command/printable.ts';
import { showAnswer } from '../command/show-answer.ts';

export const defineChangesCommand = (cli: Cli) =>
  defineCliCommand(cli, {
    name: 'millrace runs changes',
    description:
      'Print the changes of each processor, if the agent has `record: changes` (operators only). Text that the result of the run does not have is masked.',
    args: { run: { type: 'positional', required: true, description: 'its id' }, ...jsonArg },
    run: (args) =>
      showAnswer(cli.io, args, async (client) => {
        const { changes, omitted, lost } = await client.runs.changes(args.run);
        const notes = [
          omitted > 0 && `${omitted} changes above the bounds of a run are omitted`,
          lost > 0 &&
            `the changes of ${lost} earlier owners are lost: they were killed or replaced, or the changes have expired`,
          changes.length === 0 && 'no change is recorded: the agent needs `record: changes`, and the run has to end',
        ].filter((line) => line !== false);
        return { json: changes, text: () => changes.map(formatChange).join('\n') || undefined, notes };
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
