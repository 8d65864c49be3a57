// Warns about settings that are allowed but probably wrong, when an agent is applied. Pure.
import {
  LIST_OF_STAGE,
  listEntries,
  listJudges,
  mayChange,
  isKeptByOverrides,
  findUncalledStages,
  type Agent,
  type Issue,
  type Plan,
  type PlanEntry,
  type RefusedEndpoint,
  type Release,
  listCandidates,
  listUnpriced,
} from '@millrace/contracts';
import { findOrderWarnings } from './order-warnings.ts';

export function findPlanWarnings(
  plan: Plan,
  refused: readonly RefusedEndpoint[],
  { release = 'chunk', overrides }: Pick<Agent, 'release' | 'overrides'> = {},
): Issue[] {
  return [
    ...warnNotCalled(plan),
    ...findOrderWarnings(plan),
    ...judgesUnderWhen(plan),
    ...(overrides ? judgesOverridable(plan) : []),
    ...findShownBefore(plan, release),
    ...findAmbiguous(plan, refused),
  ];
}

/**
 * A processor that rewrites whole answers follows their stream: clients see the first version until it is retracted,
 * unless the text is buffered until then.
 */
function findShownBefore(plan: Plan, release: Release): Issue[] {
  return [...findShownBeforeStep(plan, release), ...findShownBeforeResult(plan, release)];
}

/** A guard of the whole result that does not judge the stream: clients see the text that it removes. */
function findShownBeforeResult(plan: Plan, release: Release): Issue[] {
  if (release === 'result') return [];
  const late = listJudges(plan, 'processOutputResult').filter(
    ({ memory, stages, changes }) =>
      !memory && !stages.includes('processOutputStream') && mayChange(changes, 'processOutputResult'),
  );
  return late.map(({ entry }) => ({
    code: 'answer-shown-before',
    message: `"${entry}" may change the answers of the whole run, but this agent releases them by the ${release}, before that: clients see them until they are retracted.`,
    remedy: 'Set `release: result`, so that clients see only the changed answers.',
  }));
}

function findShownBeforeStep(plan: Plan, release: Release): Issue[] {
  if (release === 'step' || release === 'result') return [];
  const late = listEntries(plan, 'processOutputStep').filter(({ rewritesAnswers }) => rewritesAnswers);
  return late.map(({ entry }) => ({
    code: 'answer-shown-before',
    message: `"${entry}" rewrites whole answers, but this agent releases them by the ${release}, before that: clients see them until they are retracted.`,
    remedy: 'Set `release: step`, so that clients see only the rewritten answer.',
  }));
}

/** A guard that is listed only under input does not see the output that it could judge, and vice versa. */
function warnNotCalled(plan: Plan): Issue[] {
  return [...findUncalledStages(plan)].map(([processor, stages]) => {
    const listed = new Set(
      Object.values(plan.entries).flatMap((one) => (one.processor === processor ? one.lists : [])),
    );
    const lists = [...new Set(stages.map((stage) => LIST_OF_STAGE[stage]))];
    const message = `"${processor}" has ${stages.join(', ')}, which this agent does not call: it is listed only under ${[...listed].join(' and ')}.`;
    return { code: 'stage-not-called', message, remedy: `List it under ${lists.join(' and ')} too, if intended.` };
  });
}

/** A guard that may be skipped protects nothing, and one that observes stops nothing. */
const judgesIn = ({ entries }: Plan): PlanEntry[] =>
  Object.values(entries).filter(({ onFailure, observe }) => onFailure === 'fail' && !observe);

/** Without the guard the run continues, and the caller's context decides whether it is called. */
const judgesUnderWhen = (plan: Plan): Issue[] => judgesIn(plan).flatMap(findUnderWhen);

function findUnderWhen({ entry, when }: PlanEntry): Issue[] {
  if (!when) return [];
  const { context, equals } = when;
  const effect = context === 'tenant' ? 'runs of other tenants pass without it' : 'the submitter of a run decides that';
  const message = `"${entry}" is called only if ${context} of requestContext is ${JSON.stringify(equals)}: ${effect}.`;
  const remedy = `Remove \`when\` from guards that must always judge, or let only a backend that sets ${context} itself submit runs.`;
  return [{ code: 'judge-under-when', message, remedy }];
}

/** A caller's list replaces these entries, also an empty one. */
function judgesOverridable(plan: Plan): Issue[] {
  const droppable = judgesIn(plan).filter((entry) => !isKeptByOverrides(entry));
  return droppable.map(({ entry }) => ({
    code: 'judge-overridable',
    message: `"${entry}" is dropped if a caller provides its own lists, which \`overrides\` of this agent allows.`,
    remedy: 'Remove `replaceable` from guards that must always judge, or apply an agent of an earlier version again.',
  }));
}

/** Names the services that advertise a name of the plan, and are refused because another one serves it. */
function findAmbiguous(plan: Plan, refused: readonly RefusedEndpoint[]): Issue[] {
  const used = new Map<string, string | undefined>([
    ...plan.tools.map(({ name }) => [name, undefined] as const),
    ...Object.values(plan.entries).map(({ processor, service }) => [processor, service] as const),
  ]);
  return refused
    .filter(({ name }) => used.has(name))
    .map(({ service, name, problem }) => {
      const isCalled = used.get(name) === service;
      return {
        code: 'processor-ambiguous',
        message: isCalled
          ? `This agent calls "${name}" of the service "${service}", but new agents do not: ${problem}.`
          : `The service "${service}" advertises "${name}" too, which is refused: ${problem}.`,
        remedy: isCalled
          ? 'Apply the agent again for the other service, or stop that one.'
          : 'Stop that service, or rename its processors and tools.',
      };
    });
}

/** Requires a price of each of its models for an agent with limited costs. Other models are checked before they are called. */
export const findPriceIssues = (agent: Agent, plan: Plan): Issue[] =>
  listCandidates(agent.model).flatMap(
    ({ use }) => listUnpriced({ prices: agent.prices, entries: plan.entries, isBudgeted: false }, use) ?? [],
  );
