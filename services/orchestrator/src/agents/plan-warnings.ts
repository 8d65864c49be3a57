// What is allowed and probably not meant, told when an agent is applied. Pure.
import {
  LIST_OF_STAGE,
  entriesOf,
  staysUnderOverrides,
  uncalledStages,
  type Agent,
  type Issue,
  type Plan,
  type PlanEntry,
  type RefusedEndpoint,
  type Release,
} from '@millrace/contracts';
import { orderWarnings } from './order-warnings.ts';

export function planWarnings(
  plan: Plan,
  refused: readonly RefusedEndpoint[],
  { release = 'chunk', overrides }: Pick<Agent, 'release' | 'overrides'> = {},
): Issue[] {
  return [
    ...notCalled(plan),
    ...orderWarnings(plan),
    ...judgesUnderWhen(plan),
    ...(overrides ? judgesOverridable(plan) : []),
    ...shownBefore(plan, release),
    ...ambiguous(plan, refused),
  ];
}

/** What rewrites whole answers comes after their stream: clients see both, unless the words are held until then. */
function shownBefore(plan: Plan, release: Release): Issue[] {
  if (release === 'step' || release === 'result') return [];
  const late = entriesOf(plan, 'processOutputStep').filter(({ rewritesAnswers }) => rewritesAnswers);
  return late.map(({ entry }) => ({
    code: 'answer-shown-before',
    message: `"${entry}" rewrites whole answers, and this agent shows them by the ${release}, before that.`,
    remedy: 'Say `release: step`, so that clients see what it made of them and nothing else.',
  }));
}

/** A guard that is listed under input alone does not see what it could judge of the output, and the other way round. */
function notCalled(plan: Plan): Issue[] {
  return [...uncalledStages(plan)].map(([processor, stages]) => {
    const listed = new Set(
      Object.values(plan.entries).flatMap((one) => (one.processor === processor ? one.lists : [])),
    );
    const lists = [...new Set(stages.map((stage) => LIST_OF_STAGE[stage]))];
    const message = `"${processor}" has ${stages.join(', ')}, which this agent does not call: it stands under ${[...listed].join(' and ')} alone.`;
    return { code: 'stage-not-called', message, remedy: `List it under ${lists.join(' and ')} too, if that is meant.` };
  });
}

/** What may be skipped guards nothing, and what nobody waits for stops nothing. */
const judgesIn = ({ entries }: Plan): PlanEntry[] =>
  Object.values(entries).filter(({ onFailure, observe }) => onFailure === 'fail' && !observe);

/** Without it the run goes on, and the caller's own words decide whether it is asked. */
const judgesUnderWhen = (plan: Plan): Issue[] => judgesIn(plan).flatMap(underWhen);

function underWhen({ entry, when }: PlanEntry): Issue[] {
  if (!when) return [];
  const { context, equals } = when;
  const who = context === 'tenant' ? 'runs of other tenants pass without it' : 'whoever submits a run decides that';
  const message = `"${entry}" is called only where ${context} of requestContext is ${JSON.stringify(equals)}: ${who}.`;
  const remedy = `Take \`when\` from what must always judge; let only a backend that sets ${context} itself submit.`;
  return [{ code: 'judge-under-when', message, remedy }];
}

/** A caller may give a list of his own for each of the agent's, also one without entries. */
function judgesOverridable(plan: Plan): Issue[] {
  const droppable = judgesIn(plan).filter((entry) => !staysUnderOverrides(entry));
  return droppable.map(({ entry }) => ({
    code: 'judge-overridable',
    message: `"${entry}" is left out where a caller gives lists of his own, which \`overrides\` of this agent allows.`,
    remedy: 'Say `required: true` at what must always judge.',
  }));
}

/** Requests are shared out among all that answer to a name, whichever service is meant. */
function ambiguous(plan: Plan, refused: readonly RefusedEndpoint[]): Issue[] {
  const used = new Set([
    ...Object.values(plan.entries).map(({ processor }) => processor),
    ...plan.tools.map(({ name }) => name),
  ]);
  return refused
    .filter(({ name }) => used.has(name))
    .map(({ service, name, problem }) => ({
      code: 'processor-ambiguous',
      message: `The service "${service}" advertises "${name}" too, which is refused: ${problem}.`,
      remedy: 'Stop that service, or give what it serves another name.',
    }));
}
