import { textMessage, type AppliedAgent, type JsonObject, type RunRequest, type When } from '@millrace/contracts';
import { describe, expect, test } from 'vitest';
import { planEntry, planOf } from '../testing/plan-entries.ts';
import { agentOf } from '../testing/run-states.ts';
import { agentOfRun } from './run-agent.ts';

const request = (more: Partial<RunRequest> = {}): RunRequest => ({
  runId: 'r1',
  tenant: 'acme',
  agent: 'demo',
  messages: [textMessage('m', 'user', 'hi')],
  requestContext: {},
  deadlineMs: 1_000,
  ...more,
});
const applied = (when: When): AppliedAgent => ({
  agent: agentOf(),
  plan: planOf([
    planEntry('always', { stages: ['processInput', 'processInputStep'] }),
    planEntry('sometimes', { stages: ['processInput', 'processInputStep'], when }),
  ]),
  revision: 3,
  appliedAt: '',
});
const own = (given: AppliedAgent, more: Partial<RunRequest> = {}) => {
  const resolved = agentOfRun(given, request(more));
  if ('issues' in resolved) throw new Error(JSON.stringify(resolved.issues));
  return resolved;
};
const leftOut = (when: When, more: Partial<RunRequest>) => own(applied(when), more).leftOut;

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
  ])('for %j in a run with %j: left out are %j', (equals, requestContext, names) => {
    expect(leftOut({ context: 'plan', equals }, { requestContext })).toEqual(names);
  });

  test('is not called for a member that every object has', () => {
    expect(leftOut({ context: 'constructor', equals: null }, {})).toEqual(['sometimes']);
    expect(leftOut({ context: '__proto__', equals: null }, {})).toEqual(['sometimes']);
  });

  test.each(['tenant', 'runId', 'threadId', 'resourceId'])(
    'goes by the run’s own %s, not by what a caller calls so',
    (key) => {
      const claimed = { requestContext: { [key]: 'claimed' } };
      expect(leftOut({ context: key, equals: 'claimed' }, claimed)).toEqual(['sometimes']);
      expect(leftOut({ context: key, equals: 'own' }, { ...claimed, [key]: 'own' })).toEqual([]);
    },
  );

  test('stands at no stage of the run’s plan and among none of its entries; the others do as before', () => {
    const { plan } = own(applied({ context: 'plan', equals: 'pro' })).applied;
    expect(plan.order).toEqual({ processInput: ['always'], processInputStep: ['always'] });
    expect(Object.keys(plan.entries)).toEqual(['always']);
  });
});

test('an agent without such entries is the run’s as it is applied', () => {
  const given = { ...applied({ context: 'a', equals: 1 }), plan: planOf([planEntry('always')]) };
  expect(agentOfRun(given, request())).toEqual({ applied: given, leftOut: [] });
});
