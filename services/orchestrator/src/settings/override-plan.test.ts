import { type AppliedAgent, type Overridable, type PlanEntry, type RunRequest } from '@millrace/contracts';
import { describe, expect, test } from 'vitest';
import { planEntry, makePlan } from '../testing/plan-entries.ts';
import { makeAgent, makeRunRequest } from '../testing/run-states.ts';
import { resolveRunAgent } from './run-agent.ts';

const both = {
  stages: ['processInput', 'processOutputStream'] as PlanEntry['stages'],
  lists: ['input', 'output'] as PlanEntry['lists'],
};
const overridable = (processor: string, more: Partial<PlanEntry> = {}): Overridable => ({
  ...planEntry(processor, { ...both, ...more }),
  optionsSchema: { type: 'object' },
});
/** Memory is first here, against the rule, so that the test sees whether the plan moves it. */
const entries = [
  planEntry('history', { stages: ['processInput', 'processOutputResult'], lists: ['input', 'output'], memory: true }),
  planEntry('guard', { ...both, required: true, options: { strict: true } }),
  planEntry('polite', both),
];
const applied: AppliedAgent = {
  agent: makeAgent({ overrides: ['pii', 'keyword', 'fallback'], questions: ['asks'] }),
  plan: {
    ...makePlan(entries),
    overridable: {
      pii: overridable('pii'),
      keyword: overridable('keyword', { stages: ['processInput'], lists: ['input'] }),
      fallback: overridable('fallback', { stages: ['processAPIError'], lists: ['error'] }),
    },
  },
  revision: 1,
  appliedAt: '',
};
const planFor = (more: Partial<RunRequest>, of = applied) => {
  const own = resolveRunAgent(of, makeRunRequest(more));
  if ('issues' in own) throw new Error(JSON.stringify(own.issues));
  return own.applied;
};
const findIssues = (more: Partial<RunRequest>, of = applied) => {
  const own = resolveRunAgent(of, makeRunRequest(more));
  return 'issues' in own ? own.issues.map(({ path, message }) => `${path}: ${message}`) : [];
};

describe('a list that the caller provides', () => {
  test('replaces a group, whatever the names of its members are', () => {
    const members = ['toString', 'constructor'];
    const of = (left: PlanEntry[]) => ({
      ...applied,
      plan: { ...applied.plan, ...makePlan([...entries, ...left]), groups: [{ list: 'input' as const, members }] },
    });
    const inOutput = planEntry('toString', both);
    const { plan } = planFor({ inputProcessors: ['keyword'] }, of([inOutput, planEntry('constructor')]));
    expect(Object.keys(plan.entries).toSorted()).toEqual(['guard', 'history', 'keyword', 'polite', 'toString']);
    expect(plan.groups).toEqual([]);
  });

  test('replaces the agent’s replaceable entries; the others follow it, and memory follows those', () => {
    const { plan } = planFor({ inputProcessors: ['keyword', { use: 'pii', as: 'mine', options: { a: 1 } }] });
    expect(plan.order.processInput).toEqual(['keyword', 'mine', 'guard', 'history']);
    expect(plan.entries['mine']).toMatchObject({
      processor: 'pii',
      entry: 'mine',
      options: { a: 1 },
      lists: ['input'],
      required: false,
    });
  });

  test('keeps the stages of the other lists, also of an entry that was in both', () => {
    const { plan } = planFor({ inputProcessors: [] });
    expect(plan.order).toEqual({
      processInput: ['guard', 'history'],
      processOutputStream: ['guard', 'polite'],
      processOutputResult: ['history'],
    });
    expect(plan.entries['polite']?.lists).toEqual(['output']);
  });

  test('removes the entry if both lists are provided', () => {
    const { plan } = planFor({ inputProcessors: [], outputProcessors: ['pii'] });
    expect(plan.order.processOutputStream).toEqual(['pii', 'guard']);
    expect(Object.keys(plan.entries).toSorted()).toEqual(['guard', 'history', 'pii']);
  });

  test('has one entry for one processor in two lists', () => {
    const { plan } = planFor({ inputProcessors: ['pii'], outputProcessors: ['pii'] });
    expect(plan.entries['pii']?.lists).toEqual(['input', 'output']);
  });

  test("limits its processor to the changes that it declares, with the caller's options", () => {
    const pii: Overridable = {
      ...overridable('pii'),
      declaredChanges: { processInput: { option: 'strategy', values: ['redact'] } },
    };
    const of = { ...applied, plan: { ...applied.plan, overridable: { pii } } };
    const listChanges = (strategy: string) =>
      planFor({ inputProcessors: [{ use: 'pii', as: 'mine', options: { strategy } }] }, of).plan.entries['mine']
        ?.changes;
    expect([listChanges('block'), listChanges('redact')]).toEqual([{ processInput: false }, { processInput: true }]);
  });

  test('changes no entry that stays', () => {
    const { plan } = planFor({ inputProcessors: ['pii'], outputProcessors: ['pii'], errorProcessors: ['fallback'] });
    expect(plan.entries['guard']).toEqual(applied.plan.entries['guard']);
    expect(plan.order.processAPIError).toEqual(['fallback']);
  });

  test("is in the plan of the run and not in the definition, because the definition's texts are trusted", () => {
    const { agent, plan } = planFor({ inputProcessors: [{ use: 'pii', options: { response: 'my own words' } }] });
    expect(agent).toEqual(applied.agent);
    expect(JSON.stringify(plan)).toContain('my own words');
    expect(plan).not.toHaveProperty('overridable');
  });
});

describe('retries that the caller requests', () => {
  test.each<[number | undefined, Partial<RunRequest>, number | undefined]>([
    [3, { maxProcessorRetries: 9 }, 3],
    [3, { maxProcessorRetries: 1 }, 1],
    [undefined, { maxProcessorRetries: 9 }, 0],
    [undefined, { maxProcessorRetries: 99, errorProcessors: ['fallback'] }, 10],
    [3, {}, 3],
  ])('of an agent with %s, requested as %j, are %s', (own, more, expected) => {
    const agent = makeAgent({ overrides: ['fallback'], ...(own !== undefined && { maxProcessorRetries: own }) });
    expect(planFor(more, { ...applied, agent }).agent.maxProcessorRetries).toBe(expected);
  });
});

describe('an override is rejected,', () => {
  test.each<[string, Partial<RunRequest>, string]>([
    [
      'a processor that the agent does not name',
      { inputProcessors: ['evil'] },
      'inputProcessors[0]: Callers of this agent may not list "evil".',
    ],
    [
      'one that the agent itself uses, and does not name',
      { inputProcessors: ['polite'] },
      'inputProcessors[0]: Callers',
    ],
    ['a member that every object has', { inputProcessors: ['constructor'] }, 'inputProcessors[0]: Callers'],
    ['memory', { inputProcessors: ['memory'] }, 'inputProcessors[0]: Callers'],
    [
      'a processor without a stage of the list',
      { outputProcessors: ['keyword'] },
      'outputProcessors[0]: "keyword" has no stage',
    ],
    [
      'the name of an entry that stays',
      { inputProcessors: [{ use: 'pii', as: 'guard' }] },
      'inputProcessors[0]: "guard" is the name of an entry',
    ],
    [
      'the name of an entry that remains in another list',
      { inputProcessors: [{ use: 'pii', as: 'polite' }] },
      'inputProcessors[0]: "polite" is the name',
    ],
    [
      'the name of memory',
      { outputProcessors: [{ use: 'pii', as: 'history' }] },
      'outputProcessors[0]: "history" is the name',
    ],
    [
      'a name with questions that the caller may answer',
      { inputProcessors: [{ use: 'pii', as: 'asks' }] },
      'inputProcessors[0]: "asks" is the name',
    ],
    [
      'one name twice',
      { inputProcessors: ['pii', 'pii'] },
      'inputProcessors[1]: "pii" is the name of inputProcessors[0] too.',
    ],
    [
      'other options at the two places of one entry',
      { inputProcessors: ['pii'], outputProcessors: [{ use: 'pii', options: { a: 1 } }] },
      'outputProcessors[0]: "pii" is the name of inputProcessors[0] too.',
    ],
  ])('%s', (_what, more, issue) => {
    expect(findIssues(more)).toEqual([expect.stringContaining(issue)]);
  });

  test('whatever it is, if the agent has no overrides', () => {
    const { overrides: _, ...agent } = applied.agent;
    const all = { inputProcessors: [], outputProcessors: ['pii'], errorProcessors: [], maxProcessorRetries: 0 };
    expect(findIssues(all, { ...applied, agent })).toEqual(
      Object.keys(all).map((field) => expect.stringMatching(`^${field}: `)),
    );
    expect(findIssues({}, { ...applied, agent })).toEqual([]);
  });

  test('with every problem at once', () => {
    expect(findIssues({ inputProcessors: ['evil', 'worse'], outputProcessors: ['keyword'] })).toHaveLength(3);
  });
});
