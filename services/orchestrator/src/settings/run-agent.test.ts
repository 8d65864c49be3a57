import { type AppliedAgent, type JsonObject, type RunRequest, type When } from '@millrace/contracts';
import { describe, expect, test } from 'vitest';
import { planEntry, makePlan } from '../testing/plan-entries.ts';
import { makeAgent, makeRunRequest } from '../testing/run-states.ts';
import { resolveRunAgent } from './run-agent.ts';

const makeApplied = (when: When): AppliedAgent => ({
  agent: makeAgent(),
  plan: makePlan([
    planEntry('always', { stages: ['processInput', 'processInputStep'] }),
    planEntry('sometimes', { stages: ['processInput', 'processInputStep'], when }),
  ]),
  revision: 3,
  appliedAt: '',
});
const own = (given: AppliedAgent, more: Partial<RunRequest> = {}) => {
  const resolved = resolveRunAgent(given, makeRunRequest(more));
  if ('issues' in resolved) throw new Error(JSON.stringify(resolved.issues));
  return resolved;
};
const leftOut = (when: When, more: Partial<RunRequest>) => own(makeApplied(when), more).leftOut;

describe('an entry under `when`', () => {
  test.each<[When['equals'], JsonObject, string[]]>([
    ['pro', { plan: 'pro' }, []],
    ['pro', { plan: 'free' }, ['sometimes']],
    ['pro', {}, ['sometimes']],
    [null, { plan: null }, []],
    [null, {}, ['sometimes']],
    [1, { plan: 1 }, []],
    [1, { plan: '1' }, ['sometimes']],
    [true, { plan: true }, []],
    ['pro', { plan: ['pro'] }, ['sometimes']],
    ['[object Object]', { plan: {} }, ['sometimes']],
  ])('for %j in a run with %j omits %j', (equals, requestContext, names) => {
    expect(leftOut({ context: 'plan', equals }, { requestContext })).toEqual(names);
  });

  test('is not called for a member that every object has', () => {
    expect(leftOut({ context: 'constructor', equals: null }, {})).toEqual(['sometimes']);
    expect(leftOut({ context: '__proto__', equals: null }, {})).toEqual(['sometimes']);
  });

  test.each(['tenant', 'runId', 'threadId', 'resourceId'])(
    'compares the run’s own %s, not a context member of the same name',
    (key) => {
      const claimed = { requestContext: { [key]: 'claimed' } };
      expect(leftOut({ context: key, equals: 'claimed' }, claimed)).toEqual(['sometimes']);
      expect(leftOut({ context: key, equals: 'own' }, { ...claimed, [key]: 'own' })).toEqual([]);
    },
  );

  test('is in no stage and no entry of the run’s plan; other entries are unchanged', () => {
    const { plan } = own(makeApplied({ context: 'plan', equals: 'pro' })).applied;
    expect(plan.order).toEqual({ processInput: ['always'], processInputStep: ['always'] });
    expect(Object.keys(plan.entries)).toEqual(['always']);
  });
});

test('an agent without such entries is used as it is applied', () => {
  const given = { ...makeApplied({ context: 'a', equals: 1 }), plan: makePlan([planEntry('always')]) };
  expect(resolveRunAgent(given, makeRunRequest())).toEqual({ applied: given, leftOut: [] });
});
