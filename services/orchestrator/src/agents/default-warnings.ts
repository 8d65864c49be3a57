// Warns about entries of a stored plan that keep earlier defaults: the same definition would get others if it were applied
// now. Pure.
import {
  chooseFiles,
  type Agent,
  type AppliedAgent,
  type Issue,
  type Plan,
  type ProcessorDescriptor,
} from '@millrace/contracts';
import { addNewDefaults } from './entry-uses.ts';

/** @param getDescriptor returns the description that the processor advertises */
export function warnOfOldDefaults(
  plan: Plan,
  getDescriptor: (processor: string) => Pick<ProcessorDescriptor, 'newDefaults'> | undefined,
): Issue[] {
  const ofEntries = Object.values(plan.entries).flatMap(({ entry, processor, options }): Issue[] => {
    const now = addNewDefaults(getDescriptor(processor) ?? {}, options);
    const added = Object.entries(now).filter(([name]) => !Object.hasOwn(options, name));
    if (added.length === 0) return [];
    const list = added.map(([name, value]) => `${name}: ${JSON.stringify(value)}`).join(', ');
    return [
      {
        code: 'default-changed',
        message: `"${entry}" keeps the default options of the version that stored this agent; an agent that is applied now gets ${list}.`,
        remedy: 'Apply the agent again, or set the options in its definition.',
      },
    ];
  });
  return [...ofEntries, ...warnOfPassedFiles(plan)];
}

export function warnOfRemovedRelease({ storedRelease }: Pick<AppliedAgent, 'storedRelease'>): Issue[] {
  if (storedRelease === undefined) return [];
  return [
    {
      code: 'default-changed',
      message: `This agent was stored with release: ${storedRelease}, which is removed: it releases its output by the step, which is later.`,
      remedy: 'Apply it again with `release: step`, or with chunk to publish text as it passes the output chain.',
    },
  ];
}

/** A plan with judges and without `files` is of a version without the option. */
function warnOfPassedFiles(plan: Plan): Issue[] {
  const now = chooseFiles({}, plan);
  if (plan.files !== undefined || now === undefined) return [];
  return [
    {
      code: 'default-changed',
      message: `This agent passes files to the model unjudged, as in the version that stored it; an agent that is applied now gets files: "${now}".`,
      remedy: 'Apply the agent again, or set `files` in its definition.',
    },
  ];
}

/** Warns of an agent that refuses files when it is applied again without the option. */
export function warnOfRefusedFiles(
  stored: Plan,
  { agent, plan }: { agent: Pick<Agent, 'files'>; plan: Plan },
): Issue[] {
  if (agent.files !== undefined || plan.files === undefined || stored.files !== undefined) return [];
  return [
    {
      code: 'default-changed',
      message: `With the new definition this agent has files: "${plan.files}", because an entry judges ${plan.files === 'judged' ? 'files' : 'text'}; the stored one passes all files.`,
      remedy: 'Set `files: text` (text files) or `files: pass` (all, unjudged) if callers send files.',
    },
  ];
}
