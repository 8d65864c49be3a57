// Warns about entries of a stored plan that keep earlier defaults: the same definition would get others if it were applied
// now. Pure.
import type { Issue, Plan, ProcessorDescriptor } from '@millrace/contracts';
import { addNewDefaults } from './entry-uses.ts';

/** @param getDescriptor returns the description that the processor advertises */
export function warnOfOldDefaults(
  plan: Plan,
  getDescriptor: (processor: string) => Pick<ProcessorDescriptor, 'newDefaults'> | undefined,
): Issue[] {
  return Object.values(plan.entries).flatMap(({ entry, processor, options }): Issue[] => {
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
}
