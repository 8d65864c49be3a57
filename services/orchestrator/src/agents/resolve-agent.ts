// From a definition to an agent with its plan: every list resolved into entries in their final order, with what discovery said of
// each processor. Pure; every problem is found and named, all at once.
import {
  AGENT_LIMITS,
  isToken,
  type Agent,
  type Issue,
  type JsonObject,
  type JsonValue,
  type ListName,
  type Plan,
} from '@millrace/contracts';
import { readDefinition } from './definition-issues.ts';
import { orderEntries } from './entry-order.ts';
import { idOf, missing, useOf, type Known, type Use } from './entry-uses.ts';
import { groupIssues, withGroups } from './groups.ts';
import { makePlan } from './make-plan.ts';
import { expandMemory, misusedMemory } from './memory-entries.ts';
import { overridableOf, overrideIssues } from './overridable.ts';
import { priceIssues } from './price-issues.ts';
import { questionIssues } from './question-issues.ts';
import { rawIssues } from './raw-issues.ts';
import { useIssues } from './use-issues.ts';

export type Resolved = { agent: Agent; plan: Plan } | { issues: Issue[] };

export function resolveAgent(definition: JsonValue, known: Known): Resolved {
  const { agent, entries, issues } = readDefinition(definition);
  const memory = agent?.memory ?? memoryOf(definition);
  const found = expandMemory(entries, memory, (name) => idOf(name, known)).map((listed) => useOf(listed, known));
  const uses = found.flatMap((one) => ('use' in one ? [one.use] : []));
  issues.push(...found.flatMap((one) => ('issue' in one ? [one.issue] : [])));
  issues.push(...misusedMemory(entries), ...useIssues(uses), ...groupIssues(uses), ...toolIssues(definition, known));
  issues.push(...overrideIssues(isObject(definition) ? definition['overrides'] : undefined, known));
  const inOrder = (list: ListName): Use[] => {
    const own = uses.filter((one) => one.list === list);
    const { ordered, issues: wrong } = orderEntries(list, withGroups(own));
    issues.push(...wrong);
    return ordered.flatMap((place) => ('uses' in place ? place.uses : [place]));
  };
  const ordered = { input: inOrder('input'), output: inOrder('output'), error: inOrder('error') };
  if (issues.length > 0 || !agent) return { issues };
  const resolved = makePlan(agent, ordered, uses, known);
  const plan = agent.overrides ? { ...resolved, overridable: overridableOf(agent.overrides, known) } : resolved;
  const wrong = [...questionIssues(agent, plan), ...priceIssues(agent, plan), ...rawIssues(agent, plan)];
  return wrong.length > 0 ? { issues: wrong } : { agent, plan };
}

/** Good enough to go on looking for problems where the definition has others. */
function memoryOf(definition: JsonValue): Agent['memory'] {
  return isObject(definition) && definition['memory'] ? {} : undefined;
}

const isObject = (value: JsonValue): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function toolIssues(definition: JsonValue, known: Known): Issue[] {
  const tools = isObject(definition) ? definition['tools'] : undefined;
  // Of too many the form speaks.
  if (!Array.isArray(tools) || tools.length > AGENT_LIMITS.maxTools) return [];
  return tools.flatMap((name, at): Issue[] => {
    if (typeof name !== 'string') return [];
    const path = `tools[${at}]`;
    if (tools.indexOf(name) < at) {
      return [{ code: 'agent-invalid', message: `"${name}" is listed twice.`, path, remedy: 'Remove one of the two.' }];
    }
    if (name in Object.prototype && isToken(name)) return [inheritedName(name, path)];
    if (known.tools.has(name)) return [];
    const said = missing('tool', name, [...known.tools.keys()], known.refused);
    return [{ code: 'tool-unknown', path, ...said }];
  });
}

/** A provider's client looks names up in a plain object, and would call the tool by what every object has under this one. */
function inheritedName(name: string, path: string): Issue {
  const message = `"${name}" cannot be the name of a tool: every object has a member of that name, and clients of model providers take one for the other.`;
  return { code: 'agent-invalid', message, path, remedy: 'Give the tool another name.' };
}
