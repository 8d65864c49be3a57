import { RELEASES, type Agent, type Release, type RunRequest } from '@millrace/contracts';
import { describe, expect, test } from 'vitest';
import { lookTool } from '../testing/look-tool.ts';
import { makePlan } from '../testing/plan-entries.ts';
import { makeAgent, makeRunRequest } from '../testing/run-states.ts';
import { applyCallerSettings, chooseTool } from './caller-settings.ts';

const plan = makePlan([], [lookTool()]);
const apply = (agent: Partial<Agent>, request: Partial<RunRequest>) =>
  applyCallerSettings(makeAgent(agent), plan, makeRunRequest(request));
const listPaths = (agent: Partial<Agent>, request: Partial<RunRequest>) => {
  const applied = apply(agent, request);
  return 'issues' in applied ? applied.issues.map(({ path }) => path) : [];
};

describe('settings of the model', () => {
  test('An agent without callerSettings refuses each of them by its name', () => {
    const request = { modelSettings: { temperature: 0, seed: 1 }, toolChoice: 'none' as const };
    expect(listPaths({}, request)).toEqual(['modelSettings.temperature', 'modelSettings.seed', 'toolChoice']);
    expect(listPaths({ callerSettings: ['seed'] }, request)).toEqual(['modelSettings.temperature', 'toolChoice']);
  });

  test('An allowed setting replaces that of the agent, and the others stay', () => {
    const agent = { modelSettings: { temperature: 1, topP: 0.5 }, callerSettings: ['temperature' as const] };
    expect(apply(agent, { modelSettings: { temperature: 0 } })).toMatchObject({
      agent: { modelSettings: { temperature: 0, topP: 0.5 } },
    });
  });

  test.each([
    [100, 50, 50],
    [100, 500, 100],
    [undefined, 500, 500],
  ])('With %j tokens of the agent and %j of the caller the limit is %j', (own, given, maxOutputTokens) => {
    const agent = { callerSettings: ['maxOutputTokens' as const], modelSettings: { maxOutputTokens: own } };
    expect(apply(agent, { modelSettings: { maxOutputTokens: given } })).toMatchObject({
      agent: { modelSettings: { maxOutputTokens } },
    });
  });
});

describe('the choice of a tool', () => {
  const callerSettings = ['toolChoice' as const];

  test('A tool that the agent does not have is refused', () => {
    expect(listPaths({ callerSettings }, { toolChoice: { type: 'tool', toolName: 'look' } })).toEqual([]);
    expect(listPaths({ callerSettings }, { toolChoice: { type: 'tool', toolName: 'send' } })).toEqual(['toolChoice']);
    const without = applyCallerSettings(
      makeAgent({ callerSettings }),
      makePlan([]),
      makeRunRequest({ toolChoice: 'required' }),
    );
    expect(without).toMatchObject({ issues: [{ path: 'toolChoice' }] });
  });

  test('A required call is required in the first step only, and none applies to all steps', () => {
    expect([0, 1].map((step) => chooseTool(makeRunRequest({ toolChoice: 'required' }), step))).toEqual([
      'required',
      undefined,
    ]);
    expect([0, 1].map((step) => chooseTool(makeRunRequest({ toolChoice: 'none' }), step))).toEqual(['none', 'none']);
  });
});

describe('the form of the answer', () => {
  const structuredOutput = { schema: { type: 'object' } };

  test('It is set for the run, or refused if the agent has its own', () => {
    expect(apply({}, { structuredOutput })).toMatchObject({ agent: { structuredOutput } });
    expect(listPaths({ structuredOutput }, { structuredOutput })).toEqual(['structuredOutput']);
  });
});

describe('the release', () => {
  const pairs = RELEASES.flatMap((own) => RELEASES.map((given) => [own, given] as [Release, Release]));

  test.each(pairs)('An agent with %s accepts %s only if it is not earlier', (own, given) => {
    const isLater = RELEASES.indexOf(given) >= RELEASES.indexOf(own);
    const expected = isLater ? { agent: { release: given } } : { issues: [{ path: 'release' }] };
    expect(apply({ release: own }, { release: given })).toMatchObject(expected);
  });
});
