import type { AppliedAgent, PlanEntry } from '@millrace/contracts';
import { expect, test } from 'vitest';
import { makePlan, planEntry } from '../testing/plan-entries.ts';
import { makeAgent } from '../testing/run-states.ts';
import { warnUnequalJudges } from './memory-warnings.ts';

const memory = planEntry('message-history', { memory: true, stages: ['processInput', 'processOutputResult'] });
const judge = (name: string, more: Partial<PlanEntry> = {}) => planEntry(name, { judgesText: true, ...more });
const agent = (name: string, ...entries: PlanEntry[]): AppliedAgent => ({
  agent: { ...makeAgent(), name },
  plan: makePlan(entries),
  revision: 1,
  appliedAt: '2026-01-01T00:00:00Z',
});
const messages = (one: AppliedAgent, ...others: AppliedAgent[]) =>
  warnUnequalJudges(one, others).map(({ code, message }) => `${code}: ${message}`);

test('agents with a memory and different judges get a warning, whichever of them is applied last', () => {
  const guarded = agent('guarded', judge('pii'), memory);
  const plain = agent('plain', memory);
  expect(messages(guarded, guarded, plain)).toEqual([
    'memory-unjudged: "guarded" recalls messages that agents with fewer guards in input store, if they share a thread or a resource: "plain" (without pii).',
  ]);
  expect(messages(plain, guarded)).toEqual([
    'memory-unjudged: "plain" stores messages that agents with more guards in input recall, if they share a thread or a resource: "guarded" (with pii).',
  ]);
});

test('an entry that may be skipped, only observes or depends on the context is no judge', () => {
  const own = agent('own', judge('pii'), memory);
  for (const more of [
    { onFailure: 'skip' },
    { observe: true },
    { when: { context: 'plan', equals: 'free' } },
  ] satisfies Partial<PlanEntry>[])
    expect(messages(own, agent('other', judge('pii', more), memory))).toHaveLength(1);
  expect(messages(own, agent('other', judge('pii'), memory))).toEqual([]);
});

test('an agent that lists its memory under input alone recalls, and stores nothing', () => {
  const reader = planEntry('message-history', { memory: true, lists: ['input'], stages: ['processInput'] });
  const [guarded, plain] = [agent('guarded', judge('pii'), memory), agent('plain', reader)];
  expect(messages(guarded, plain)).toEqual([]);
  expect(messages(plain, guarded)).toEqual([]);
});

test('agents without a memory need no judges of others', () => {
  const guarded = agent('guarded', judge('pii'), memory);
  expect(messages(guarded, agent('stateless'))).toEqual([]);
  expect(messages(agent('stateless'), guarded)).toEqual([]);
});
