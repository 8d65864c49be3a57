import { type JsonObject, type Plan } from '@millrace/contracts';
import { describe, expect, test } from 'vitest';
import { known } from '../testing/known-processors.ts';
import { resolveAgent } from './resolve-agent.ts';

const definition = (more: JsonObject) => ({ name: 'demo', model: 'openai/gpt-5-mini', ...more });
const findIssues = (more: JsonObject) => {
  const resolved = resolveAgent(definition(more), known);
  return 'issues' in resolved ? resolved.issues : [];
};
const makePlan = (more: JsonObject): Plan => {
  const resolved = resolveAgent(definition(more), known);
  if ('issues' in resolved) throw new Error(JSON.stringify(resolved.issues));
  return resolved.plan;
};

describe('a parallel group', () => {
  test('has its members in the plan, at each stage in their order', () => {
    const plan = makePlan({ input: ['unicode-normalizer', { parallel: ['pii', { use: 'keyword', as: 'words' }] }] });
    expect(plan.order.processInput).toEqual(['unicode-normalizer', 'pii', 'words']);
    expect(plan.groups).toEqual([{ list: 'input', members: ['pii', 'words'] }]);
  });

  test.each([
    [{ use: 'unicode-normalizer', before: 'keyword' }, ['unicode-normalizer', 'pii', 'keyword']],
    [{ use: 'unicode-normalizer', after: 'pii' }, ['pii', 'keyword', 'unicode-normalizer']],
  ])('has one position: %j are next to it, not in it', (entry, order) => {
    expect(makePlan({ input: [entry, { parallel: ['pii', 'keyword'] }] }).order.processInput).toEqual(order);
    expect(makePlan({ input: [{ parallel: ['pii', 'keyword'] }, entry] }).order.processInput).toEqual(order);
  });

  test.each<[string, JsonObject, string, RegExp]>([
    ['the error list', { error: [{ parallel: ['fallback'] }] }, 'error[0].parallel[0]', /error list/],
    ['memory', { input: [{ parallel: ['pii', 'message-history'] }] }, 'input[0].parallel[1]', /changes messages/],
    ['a stream', { output: [{ parallel: ['keyword', 'tool-guard'] }] }, 'output[0].parallel[0]', /processOutputStream/],
  ])('cannot have %s', (_what, more, path, message) => {
    expect(findIssues(more)).toMatchObject([{ code: 'agent-invalid', path, message: expect.stringMatching(message) }]);
  });

  test('is in the plan with its overlap', () => {
    const groups = makePlan({ input: [{ parallel: ['pii'], overlap: 'model' }] }).groups;
    expect(groups).toEqual([{ list: 'input', members: ['pii'], overlap: 'model' }]);
  });

  test.each<[string, JsonObject, RegExp]>([
    [
      'of the output list',
      { output: [{ parallel: ['tool-guard'], overlap: 'model' }] },
      /does not judge in processInput/,
    ],
    [
      'without processInput',
      { input: [{ parallel: ['tool-guard'], overlap: 'model' }] },
      /does not judge in processInput/,
    ],
    [
      'with a member that is in the output list too',
      { input: [{ parallel: ['pii'], overlap: 'model' }], output: ['pii'] },
      /in another list/,
    ],
    [
      'with a member that is called before the model too',
      { input: [{ parallel: ['stepper'], overlap: 'model' }] },
      /also has processInputStep/,
    ],
    [
      'next to another one',
      {
        input: [
          { parallel: ['pii'], overlap: 'model' },
          { parallel: ['keyword'], overlap: 'model' },
        ],
      },
      /Two groups/,
    ],
  ])('%s cannot overlap the model', (_what, more, message) => {
    expect(findIssues(more)[0]).toMatchObject({ code: 'agent-invalid', message: expect.stringMatching(message) });
  });

  test('cannot have an entry that is listed elsewhere too', () => {
    expect(findIssues({ input: ['pii', { parallel: ['pii'] }] })).toMatchObject([{ code: 'entry-duplicate' }]);
  });
});

describe('the processors that callers may list for one run', () => {
  test('are in the plan as they were when the agent was applied, by id, with the schema of their options', () => {
    const { overridable, entries } = makePlan({ overrides: ['PIIDetector', 'fallback'] });
    expect(entries).toEqual({});
    expect(overridable).toMatchObject({
      pii: {
        processor: 'pii',
        lists: ['input', 'output'],
        timeoutMs: 5_000,
        onFailure: 'fail',
        required: false,
        memory: false,
      },
      fallback: { stages: ['processAPIError'], optionsSchema: { type: 'object' } },
    });
    expect(makePlan({ overrides: [] }).overridable).toEqual({});
    expect(makePlan({})).not.toHaveProperty('overridable');
  });

  test.each([
    ['nobody serves', 'nosuch', { code: 'processor-unknown' }],
    ['is memory', 'memory', { code: 'agent-invalid' }],
    ['is a memory', 'message-history', { code: 'agent-invalid' }],
  ])('cannot include one that %s', (_what, name, issue) => {
    expect(findIssues({ overrides: ['pii', name] })).toMatchObject([{ ...issue, path: 'overrides[1]' }]);
  });
});
