// Warns if agents of one tenant judge the texts in their memories differently: memories belong to threads and resources,
// not to agents, and guards do not judge remembered messages again. Pure.
import { listEntries, listRunJudges, type AppliedAgent, type Issue, type Stage } from '@millrace/contracts';

/** Maximum number of other agents in one warning. */
const MAX_NAMES = 10;

/** @param others the other agents of the tenant */
export function warnUnequalJudges({ agent, plan }: AppliedAgent, others: readonly AppliedAgent[]): Issue[] {
  const sharing = others.filter((other) => other.agent.name !== agent.name);
  const recalls = hasMemory(plan, 'processInput');
  const stores = hasMemory(plan, 'processOutputResult');
  const own = listRunJudges(plan);
  return (['input', 'output'] as const).flatMap((list) => {
    const laxer = sharing.flatMap((other) => {
      if (!recalls || !hasMemory(other.plan, 'processOutputResult')) return [];
      const judges = new Set(listRunJudges(other.plan)[list]);
      const missing = own[list].filter((judge) => !judges.has(judge));
      return missing.length === 0 ? [] : [`"${other.agent.name}" (without ${missing.join(', ')})`];
    });
    const stricter = sharing.flatMap((other) => {
      if (!stores || !hasMemory(other.plan, 'processInput')) return [];
      const missing = listRunJudges(other.plan)[list].filter((judge) => !own[list].includes(judge));
      return missing.length === 0 ? [] : [`"${other.agent.name}" (with ${missing.join(', ')})`];
    });
    return [
      ...warn(laxer, `"${agent.name}" recalls messages that agents with fewer guards in ${list} store`),
      ...warn(stricter, `"${agent.name}" stores messages that agents with more guards in ${list} recall`),
    ];
  });
}

const hasMemory = (plan: AppliedAgent['plan'], stage: Stage): boolean =>
  listEntries(plan, stage).some(({ memory }) => memory);

function warn(names: readonly string[], message: string): Issue[] {
  if (names.length === 0) return [];
  const rest = names.length - MAX_NAMES;
  const listed = `${names.slice(0, MAX_NAMES).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
  return [
    {
      code: 'memory-unjudged',
      message: `${message}, if they share a thread or a resource: ${listed}.`,
      remedy: 'List the same guards in agents that share threads or resources, or use different tenants.',
    },
  ];
}
