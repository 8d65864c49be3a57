// Resolves a definition to an agent with its plan: every list becomes entries in their final order, with the discovered
// descriptor of each processor. Pure; all problems are reported by name in one pass.
import {
  isObject,
  AGENT_LIMITS,
  isToken,
  type Agent,
  type Issue,
  type JsonValue,
  type ListName,
  type Plan,
} from '@millrace/contracts';
import { readDefinition } from './definition-issues.ts';
import { orderEntries, collectPositions } from './entry-order.ts';
import { createMissingIssue, resolveUse, type KnownProcessors, type ProcessorUse } from './entry-uses.ts';
import { findGroupIssues, withGroups } from './groups.ts';
import { makePlan } from './make-plan.ts';
import { expandMemory, findMisusedMemory } from './memory-entries.ts';
import { listOverridable, findOverrideIssues } from './overridable.ts';
import { findPriceIssues } from './plan-warnings.ts';
import { findFilesIssues, findQuestionIssues, findRawIssues } from './setting-issues.ts';
import { findAttemptIssues } from './tool-rules.ts';
import { findUseIssues } from './use-issues.ts';

export type ResolvedAgent = { agent: Agent; plan: Plan } | { issues: Issue[] };

export function resolveAgent(definition: JsonValue, known: KnownProcessors): ResolvedAgent {
  const { agent, entries, issues } = readDefinition(definition);
  const memory = agent?.memory ?? readMemoryConfig(definition);
  const expanded = expandMemory(entries, memory, known);
  const found = expanded.entries.map((listed) => resolveUse(listed, known));
  const uses = found.flatMap((one) => ('use' in one ? [one.use] : []));
  issues.push(...found.flatMap((one) => ('issue' in one ? [one.issue] : [])));
  issues.push(
    ...expanded.issues,
    ...findMisusedMemory(entries),
    ...findUseIssues(uses),
    ...findGroupIssues(uses),
    ...findToolIssues(definition, known),
  );
  issues.push(...findOverrideIssues(isObject(definition) ? definition['overrides'] : undefined, known));
  const sortList = (list: ListName): ProcessorUse[] => {
    const own = uses.filter((one) => one.list === list);
    const { ordered, issues: wrong } = orderEntries(
      list,
      withGroups(own),
      collectPositions(list, known.processors.values()),
    );
    issues.push(...wrong);
    return ordered.flatMap((place) => ('uses' in place ? place.uses : [place]));
  };
  const ordered = { input: sortList('input'), output: sortList('output'), error: sortList('error') };
  if (issues.length > 0 || !agent) return { issues: omitRepeated(issues) };
  const resolved = makePlan(agent, ordered, uses, known);
  const plan = agent.overrides ? { ...resolved, overridable: listOverridable(agent.overrides, known) } : resolved;
  const wrong = PLAN_CHECKS.flatMap((find) => find(agent, plan));
  return wrong.length > 0 ? { issues: wrong } : { agent, plan };
}

/** A memory that is missing is reported once for its two lists. */
const omitRepeated = (issues: readonly Issue[]): Issue[] => [
  ...new Map(issues.map((issue) => [`${issue.path} ${issue.message}`, issue])).values(),
];

const PLAN_CHECKS = [findQuestionIssues, findPriceIssues, findRawIssues, findFilesIssues, findAttemptIssues];

/** Sufficient to continue the search for problems if the definition has others. */
function readMemoryConfig(definition: JsonValue): Agent['memory'] {
  return isObject(definition) && definition['memory'] ? {} : undefined;
}

function findToolIssues(definition: JsonValue, known: KnownProcessors): Issue[] {
  const tools = isObject(definition) ? definition['tools'] : undefined;
  // The form reports that there are too many.
  if (!Array.isArray(tools) || tools.length > AGENT_LIMITS.maxTools) return [];
  const names = tools.map((tool) => (isObject(tool) ? tool['use'] : tool));
  return names.flatMap((name, at): Issue[] => {
    if (typeof name !== 'string') return [];
    const path = `tools[${at}]`;
    if (names.indexOf(name) < at) {
      return [{ code: 'agent-invalid', message: `"${name}" is listed twice.`, path, remedy: 'Remove one of the two.' }];
    }
    if (name in Object.prototype && isToken(name)) return [createInheritedNameIssue(name, path)];
    if (known.tools.has(name)) return [];
    const issue = createMissingIssue('tool', name, [...known.tools.keys()], known.refused);
    return [{ code: 'tool-unknown', path, ...issue }];
  });
}

/** A provider's client looks names up in a plain object, and would find the inherited member instead of the tool. */
function createInheritedNameIssue(name: string, path: string): Issue {
  const message = `"${name}" cannot be the name of a tool: every object has a member of that name, and clients of model providers confuse the two.`;
  return { code: 'agent-invalid', message, path, remedy: 'Give the tool another name.' };
}
