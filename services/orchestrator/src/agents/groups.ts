// Resolves parallel groups of a definition: each has one position in its list, and its members judge the same input
// concurrently. Members must not change anything. Pure.
import {
  readMemoryKey,
  resolveChanges,
  listStagesOfList,
  type Issue,
  type PlanGroup,
  type Stage,
} from '@millrace/contracts';
import type { ProcessorUse } from './entry-uses.ts';
import type { PlacedEntry } from './entry-targets.ts';

type GroupPlace = PlacedEntry & { uses: ProcessorUse[] };

/** Returns the uses of one list, with each group at the position of its members. */
export function withGroups(uses: readonly ProcessorUse[]): (ProcessorUse | GroupPlace)[] {
  const byPlace = Map.groupBy(uses, ({ group, path }) => group ?? path);
  return [...byPlace].flatMap(([path, members]): (ProcessorUse | GroupPlace)[] =>
    members[0]?.group === undefined ? members : [{ name: path, processor: '', path, members, uses: members }],
  );
}

export function listGroups(uses: readonly ProcessorUse[]): PlanGroup[] {
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

export function findGroupIssues(uses: readonly ProcessorUse[]): Issue[] {
  const members = uses.filter(({ group }) => group !== undefined);
  return [...members.flatMap(findMemberIssues), ...findOverlapIssues(members, uses)];
}

/** Stages that are called while the group may still be at work, with the state that it has then. */
const BESIDE_IT: readonly Stage[] = ['processInputStep', 'processLLMRequest'];

/**
 * An overlapping group judges the input once: an entry that is also called elsewhere in that time would have two
 * states.
 */
function findOverlapIssues(members: readonly ProcessorUse[], uses: readonly ProcessorUse[]): Issue[] {
  const beside = members.filter(({ overlap }) => overlap !== undefined);
  return beside.flatMap(({ list, path, name, group, found }): Issue[] => {
    const refuse = (message: string, remedy: string): Issue[] => [{ code: 'agent-invalid', message, path, remedy }];
    const { stages } = found.descriptor;
    if (list !== 'input' || !stages.includes('processInput'))
      return refuse(
        `"${name}" does not judge in processInput, the only stage that can overlap the model.`,
        'Remove it from the group.',
      );
    const other = stages.find((stage) => BESIDE_IT.includes(stage));
    if (other)
      return refuse(`"${name}" also has ${other}, which is called at the same time.`, 'List it before the group.');
    if (uses.some((use) => use.name === name && use.list !== list))
      return refuse(`"${name}" is also called in another list at the same time.`, 'Name one of the two with `as`.');
    if (beside.some((one) => one.group !== group))
      return refuse('Two groups cannot overlap the model.', 'Combine them into one group.');
    return [];
  });
}

function findMemberIssues({ list, path, name, processor, found, given }: ProcessorUse): Issue[] {
  const refuse = (message: string, remedy: string): Issue[] => [{ code: 'agent-invalid', message, path, remedy }];
  if (list === 'error')
    return refuse(
      'The error list cannot have parallel groups, because its processors request retries.',
      'List them one by one.',
    );
  if (readMemoryKey(processor, found.descriptor))
    return refuse(
      `"${name}" changes messages, which a member of a parallel group must not do.`,
      'List memory separately.',
    );
  if (list === 'output' && found.descriptor.stages.includes('processOutputStream'))
    return refuse(
      `"${name}" has processOutputStream: its chunks pass the processors one after the other, so they are pipelined already.`,
      'List it separately.',
    );
  const { changes = {}, optionsSchema, stages } = found.descriptor;
  const resolved = resolveChanges(changes, optionsSchema, given.options ?? {});
  const changing = listStagesOfList(list).find((stage) => stages.includes(stage) && resolved[stage] === true);
  if (changing === undefined) return [];
  return refuse(
    `"${name}" changes its input in ${changing} with these options, which a member of a parallel group must not do.`,
    'Choose options without changes (strategy: block), or list it separately.',
  );
}
