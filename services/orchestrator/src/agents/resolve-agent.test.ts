import { listEntries, type JsonObject, type Plan } from '@millrace/contracts';
import { describe, expect, test } from 'vitest';
import { clock, known, processors } from '../testing/known-processors.ts';
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

const free = { context: 'plan', equals: 'free' };

describe('a plan', () => {
  test('has every entry at the stages of its lists and its processor', () => {
    const plan = makePlan({
      input: ['pii', 'tool-guard'],
      output: ['keyword', 'pii', 'tool-guard'],
      error: ['fallback'],
    });
    expect(plan.order).toEqual({
      processInput: ['pii'],
      processToolCall: ['tool-guard'],
      processOutputStream: ['keyword', 'pii'],
      processToolResult: ['tool-guard'],
      processOutputResult: ['pii'],
      processAPIError: ['fallback'],
    });
    expect(plan.entries['pii']).toMatchObject({ lists: ['input', 'output'], version: '1.2.3', service: 'guards' });
  });

  test('takes missing fields of an entry from its processor', () => {
    const plan = makePlan({ input: [{ use: 'pii', attempts: 5 }] });
    expect(plan.entries['pii']).toMatchObject({ timeoutMs: 5_000, attempts: 5, onFailure: 'fail', required: true });
  });

  test('distinguishes two entries of one processor by `as`', () => {
    const plan = makePlan({ input: ['pii', { use: 'pii', as: 'again', options: { level: 'high' } }] });
    expect(plan.order.processInput).toEqual(['pii', 'again']);
    expect(plan.entries['again']).toMatchObject({ processor: 'pii', options: { level: 'high' } });
    expect(plan.entries['pii']?.options).toEqual({});
  });

  test('resolves the names that other frameworks use, also as targets', () => {
    const plan = makePlan({ input: ['PIIDetector', { use: 'keyword', before: 'PIIDetector' }] });
    expect(plan.order.processInput).toEqual(['keyword', 'pii']);
  });

  test('sets the options of an entry in two lists once, from either use', () => {
    const plan = makePlan({ input: ['pii'], output: [{ use: 'pii', options: { level: 'low' } }] });
    expect(plan.entries['pii']?.options).toEqual({ level: 'low' });
  });

  test('puts memory last, and marks it', () => {
    const plan = makePlan({ input: ['pii'], output: ['pii'], memory: { lastMessages: 2, workingMemory: true } });
    expect(plan.order.processInput).toEqual(['pii', 'message-history', 'working-memory']);
    expect(plan.order.processOutputResult).toEqual(['pii', 'message-history', 'working-memory']);
    expect(listEntries(plan, 'processInput').map(({ memory }) => memory)).toEqual([false, true, true]);
    expect(plan.entries['message-history']?.options).toEqual({ lastMessages: 2 });
  });

  test('has the tools’ definitions', () => {
    expect(makePlan({ tools: ['clock'] }).tools).toEqual([clock]);
  });
});

describe('resolving an agent refuses, with names and place,', () => {
  test.each<[string, JsonObject, object]>([
    [
      'an unknown processor',
      { input: ['pii', 'nosuch'] },
      {
        code: 'processor-unknown',
        message: 'No running service has a processor "nosuch".',
        path: 'input[1]',
        remedy: expect.stringContaining('keyword'),
      },
    ],
    [
      'a processor without a stage of its list',
      { output: ['unicode-normalizer'] },
      {
        code: 'entry-without-stage',
        path: 'output[0]',
        message: '"unicode-normalizer" has no stage of the output list; it has processInput.',
        remedy: 'List it under input.',
      },
    ],
    [
      'a duplicate entry',
      { input: ['pii', 'keyword', 'PIIDetector'] },
      { code: 'entry-duplicate', path: 'input[2]', message: expect.stringMatching(/"pii".*input\[0\].*input\[2\]/) },
    ],
    [
      'one name for two processors',
      { input: ['pii'], output: [{ use: 'keyword', as: 'pii' }] },
      { code: 'entry-duplicate', path: 'output[0]' },
    ],
    [
      'an option that is none',
      { input: [{ use: 'pii', options: { volume: 11 } }] },
      { code: 'options-invalid', path: 'input[0].options.volume', message: 'pii: has no option "volume".' },
    ],
    [
      'a misspelled processor, with the nearest name',
      { input: ['keywrod'] },
      { path: 'input[0]', message: 'No running service has a processor "keywrod"; did you mean "keyword"?' },
    ],
    [
      'a misspelled tool, with the nearest name',
      { tools: ['clokc'] },
      { path: 'tools[0]', message: 'No running service has a tool "clokc"; did you mean "clock"?' },
    ],
    [
      'a misspelled option, with the nearest name',
      { input: [{ use: 'pii', options: { levle: 'low' } }] },
      { path: 'input[0].options.levle', message: 'pii: has no option "levle"; did you mean "level"?' },
    ],
    [
      'a misspelled field of an entry, with the nearest name',
      { input: [{ use: 'pii', opitons: {} }] },
      { path: 'input[0].opitons', message: 'There is no field "opitons"; did you mean "options"?' },
    ],
    [
      'a misspelled field, with the nearest name',
      { inptu: [] },
      { path: 'inptu', message: 'There is no field "inptu"; did you mean "input"?' },
    ],
    [
      'an option of a wrong value',
      { input: [{ use: 'pii', options: { level: 'loud' } }] },
      { code: 'options-invalid', path: 'input[0].options.level', message: expect.stringContaining('["low","high"]') },
    ],
    [
      'a memory configured with an option that is none',
      { memory: { semanticRecall: { topK: 1 } } },
      { code: 'options-invalid', path: 'memory', message: expect.stringContaining('topK') },
    ],
    [
      'an unknown tool',
      { tools: ['clock', 'hammer'] },
      { code: 'tool-unknown', path: 'tools[1]', message: expect.stringContaining('hammer') },
    ],
    ['a tool that is listed twice', { tools: ['clock', 'clock'] }, { code: 'agent-invalid', path: 'tools[1]' }],
    [
      'other options at the two places of one entry',
      {
        input: [{ use: 'pii', options: { level: 'low' } }],
        output: [{ use: 'pii', options: { level: 'high' } }],
      },
      { code: 'options-invalid', path: 'output[0]', message: expect.stringMatching(/"pii".*input\[0\].*output\[0\]/) },
    ],
    [
      'another policy at the two places of one entry',
      { input: [{ use: 'pii', onFailure: 'skip' }], output: [{ use: 'pii', onFailure: 'fail' }] },
      { code: 'agent-invalid', path: 'output[0]', message: expect.stringContaining('onFailure') },
    ],
    [
      'a `when` together with `required`, also at another place of the entry',
      { input: [{ use: 'pii', when: free }], output: [{ use: 'pii', when: free, required: true }] },
      { code: 'agent-invalid', path: 'input[0].when', message: expect.stringContaining('required') },
    ],
    [
      'a `when` at one of the two places of an entry',
      { input: ['pii'], output: [{ use: 'pii', when: free }] },
      {
        code: 'agent-invalid',
        path: 'output[0].when',
        message: expect.stringMatching(/"pii".*input\[0\].*output\[0\]/),
      },
    ],
    [
      'an observer that is required',
      { input: [{ use: 'pii', observe: true, required: true }] },
      { code: 'agent-invalid', path: 'input[0].observe', message: expect.stringContaining('required') },
    ],
    [
      'an entry that observes at one place and judges at the other',
      { input: [{ use: 'pii', observe: true }], output: ['pii'] },
      { code: 'agent-invalid', path: 'input[0].observe', message: expect.stringMatching(/"pii".*output\[0\]/) },
    ],
    [
      'a memory that observes',
      { input: [{ use: 'message-history', observe: true }], output: [{ use: 'message-history', observe: true }] },
      { code: 'agent-invalid', path: 'input[0].observe' },
    ],
    [
      'an observer in a parallel group',
      { input: [{ parallel: [{ use: 'pii', observe: true }] }] },
      { code: 'agent-invalid', path: 'input[0].parallel[0].observe' },
    ],
    ['a name for `memory`', { input: [{ use: 'memory', as: 'x' }] }, { code: 'agent-invalid', path: 'input[0].as' }],
    [
      '`memory` among the error processors',
      { error: ['memory'] },
      { code: 'processor-unknown', path: 'error[0]', message: expect.stringContaining('"memory"') },
    ],
    [
      'an unknown target',
      { input: [{ use: 'pii', after: 'nosuch' }] },
      { code: 'entry-target-unknown', path: 'input[0].after' },
    ],
  ])('%s', (_what, more, issue) => {
    expect(findIssues(more)).toEqual([expect.objectContaining(issue)]);
  });

  test('everything, all at once', () => {
    const issues = findIssues({
      overlap: 'model',
      colour: 'red',
      tools: ['hammer'],
      input: ['nosuch', { use: 'pii', options: { x: 1 } }, 'pii', { use: 'keyword', after: 'no' }],
      output: ['unicode-normalizer'],
    });
    expect(issues.map(({ code, path }) => `${code} ${path}`).toSorted()).toEqual([
      'agent-invalid colour',
      'agent-invalid overlap',
      'entry-duplicate input[2]',
      'entry-target-unknown input[3].after',
      'entry-without-stage output[0]',
      'options-invalid input[1].options.x',
      'processor-unknown input[0]',
      'tool-unknown tools[0]',
    ]);
  });

  test('any processor if no service is running, with that reason', () => {
    const resolved = resolveAgent(definition({ input: ['pii'] }), {
      processors: new Map(),
      tools: new Map(),
      refused: [],
    });
    expect(resolved).toMatchObject({ issues: [{ remedy: expect.stringContaining('none') }] });
  });
});

test('a processor or a tool that is advertised but refused is named with the reason', () => {
  const refused = [
    { service: 'mine', name: 'my-guard', problem: 'descriptor.policy: must be an object' },
    { service: 'mine', name: 'oven', problem: 'tool.inputSchema: must be an object' },
  ];
  const resolved = resolveAgent(definition({ input: ['my-guard'], tools: ['oven'] }), { ...known, refused });
  expect('issues' in resolved && resolved.issues.map(({ message }) => message)).toEqual([
    'The processor "my-guard" is advertised but refused: descriptor.policy: must be an object (service mine).',
    'The tool "oven" is advertised but refused: tool.inputSchema: must be an object (service mine).',
  ]);
});

test('a resolved agent does not change the discovered descriptors', () => {
  const before = JSON.stringify([...processors]);
  makePlan({ input: ['pii'], memory: {} });
  expect(JSON.stringify([...processors])).toBe(before);
});

describe('entries with suspensions that are questions to the caller', () => {
  test('are listed by the names of tools and entries', () => {
    expect(findIssues({ tools: ['clock'], input: [{ use: 'pii', as: 'asks' }], questions: ['clock', 'asks'] })).toEqual(
      [],
    );
  });

  test.each([
    ['nobody', { tools: [], input: ['pii'] }, 'nobody', /neither a tool nor an entry/],
    ['a processor under another entry name', { input: [{ use: 'pii', as: 'asks' }] }, 'pii', /neither/],
    [
      'a tool and an entry at once',
      { tools: ['clock'], input: [{ use: 'pii', as: 'clock' }] },
      'clock',
      /is both a tool and/,
    ],
  ])('cannot be %s', (_whom, more, name, message) => {
    expect(findIssues({ ...more, questions: [name] })).toMatchObject([
      { code: 'agent-invalid', path: 'questions[0]', message: expect.stringMatching(message) },
    ]);
  });
});

describe('a tool with the name of a member of every object', () => {
  test.each(['constructor', 'toString', 'valueOf', 'hasOwnProperty'])('(%s) is refused, even if it runs', (name) => {
    const tools = new Map([...known.tools, [name, { tool: { ...clock, name }, service: 'tools' }]]);
    const resolved = resolveAgent(definition({ tools: ['clock', name] }), { ...known, tools });
    const message = expect.stringContaining(`"${name}" cannot be the name of a tool`);
    const remedy = 'Give the tool another name.';
    expect(resolved).toEqual({ issues: [{ code: 'agent-invalid', path: 'tools[1]', message, remedy }] });
  });

  test('("__proto__") is refused by the form already', () => {
    expect(findIssues({ tools: ['__proto__'] })).toMatchObject([
      { code: 'agent-invalid', path: 'tools[0]' },
      { code: 'tool-unknown', path: 'tools[0]' },
    ]);
  });
});
