// Parallel groups of a definition: each has one place in its list, its members judge the same input at once. What a group cannot do, its
// members may not be: they change nothing. Pure.
import { resolveChanges, stagesOfList, type Issue, type PlanGroup, type Stage } from '@millrace/contracts';
import type { Use } from './entry-uses.ts';
import type { Placed } from './entry-targets.ts';
import { isMemoryProcessor } from './memory-entries.ts';

type GroupPlace = Placed & { uses: Use[] };

/** The uses of one list, with each group in the place of its members. */
export function withGroups(uses: readonly Use[]): (Use | GroupPlace)[] {
  const byPlace = Map.groupBy(uses, ({ group, path }) => group ?? path);
  return [...byPlace].flatMap(([path, members]): (Use | GroupPlace)[] =>
    members[0]?.group === undefined ? members : [{ name: path, processor: '', path, members, uses: members }],
  );
}

export function groupsOf(uses: readonly Use[]): PlanGroup[] {
  const byGroup = Map.groupBy(
    uses.filter(({ group }) => group !== undefined),
    ({ group }) => group,
  );
  return [...byGroup.values()].map((members) => ({
    list: members[0]?.list ?? 'input',
    members: members.map(({ name }) => name),
    ...(members[0]?.overlap && { overlap: members[0].overlap }),
  }));
}

export function groupIssues(uses: readonly Use[]): Issue[] {
  const members = uses.filter(({ group }) => group !== undefined);
  return [...members.flatMap(memberIssues), ...overlapIssues(members, uses)];
}

/** Called while the group may still be at work, with the state that it has then. */
const BESIDE_IT: readonly Stage[] = ['processInputStep', 'processLLMRequest'];

/** What judges beside the model judges the input, once: an entry that is called for something else meanwhile has two states. */
function overlapIssues(members: readonly Use[], uses: readonly Use[]): Issue[] {
  const beside = members.filter(({ overlap }) => overlap !== undefined);
  return beside.flatMap(({ list, path, name, group, found }): Issue[] => {
    const refuse = (message: string, remedy: string): Issue[] => [{ code: 'agent-invalid', message, path, remedy }];
    const { stages } = found.descriptor;
    if (list !== 'input' || !stages.includes('processInput'))
      return refuse(
        `"${name}" does not judge in processInput, which alone can overlap the model.`,
        'Take it out of the group.',
      );
    const other = stages.find((stage) => BESIDE_IT.includes(stage));
    if (other) return refuse(`"${name}" has ${other} too, which is called meanwhile.`, 'List it before the group.');
    if (uses.some((use) => use.name === name && use.list !== list))
      return refuse(
        `"${name}" stands in another list too, where it is called meanwhile.`,
        'Name one of the two with `as`.',
      );
    if (beside.some((one) => one.group !== group))
      return refuse('Two groups cannot overlap the model.', 'Make one group of them.');
    return [];
  });
}

function memberIssues({ list, path, name, processor, found, given }: Use): Issue[] {
  const refuse = (message: string, remedy: string): Issue[] => [{ code: 'agent-invalid', message, path, remedy }];
  if (list === 'error')
    return refuse(
      'The error list has no parallel groups: what its processors ask for is another try.',
      'List them one by one.',
    );
  if (isMemoryProcessor(processor))
    return refuse(`"${name}" changes messages, which no member of a parallel group may.`, 'List memory by itself.');
  if (list === 'output' && found.descriptor.stages.includes('processOutputStream'))
    return refuse(
      `"${name}" has processOutputStream, whose chunks pass one processor after the other: they are pipelined already.`,
      'List it by itself.',
    );
  const { changes = {}, optionsSchema, stages } = found.descriptor;
  const resolved = resolveChanges(changes, optionsSchema, given.options ?? {});
  const changing = stagesOfList(list).find((stage) => stages.includes(stage) && resolved[stage] === true);
  if (changing === undefined) return [];
  return refuse(
    `"${name}" changes what it judges in ${changing} with these options, which no member of a parallel group may.`,
    'Choose options with which it changes nothing (strategy: block), or list it by itself.',
  );
}
