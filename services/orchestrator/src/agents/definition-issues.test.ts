import { type JsonObject, type JsonValue } from '@millrace/contracts';
import { describe, expect, test } from 'vitest';
import { readDefinition } from './definition-issues.ts';

const base = { name: 'demo', model: 'openai/gpt-5-mini' };
const read = (more: JsonObject = {}) => readDefinition({ ...base, ...more });
const placeEntries = (more: JsonObject) => read(more).issues.map(({ code, path }) => `${code} ${path ?? ''}`);

describe('a definition', () => {
  test('that is valid is an agent with its defaults', () => {
    const { agent, issues, entries } = read({ input: ['pii'], output: [{ use: 'pii', timeoutMs: 100 }] });
    expect(issues).toEqual([]);
    expect(agent).toMatchObject({ ...base, maxSteps: 5, error: [], input: [{ use: 'pii' }] });
    expect(entries).toEqual([
      { list: 'input', path: 'input[0]', entry: { use: 'pii' } },
      { list: 'output', path: 'output[0]', entry: { use: 'pii', timeoutMs: 100 } },
    ]);
  });

  test.each(['text', 17, null, [base]])('that is no object (%j) is refused as a whole', (definition) => {
    expect(readDefinition(definition)).toMatchObject({ agent: undefined, issues: [{ code: 'agent-invalid' }] });
  });

  test('without name and model reports both', () => {
    expect(readDefinition({}).issues.map(({ path }) => path)).toEqual(['name', 'model']);
  });

  test.each<[string, JsonObject, string]>([
    ['an unknown field', { colour: 'red' }, 'agent-invalid colour'],
    ['an unknown field of memory', { memory: { colour: 'red' } }, 'agent-invalid memory.colour'],
    ['a model without a provider', { model: 'gpt-5' }, 'agent-invalid model'],
    ['a name that no subject can carry', { name: 'a b' }, 'agent-invalid name'],
    ['a list that is none', { input: 'pii' }, 'agent-invalid input'],
    ['too many steps', { maxSteps: 251 }, 'agent-invalid maxSteps'],
    ['an unknown setting of the model', { modelSettings: { heat: 1 } }, 'agent-invalid modelSettings.heat'],
    ['an entry that is neither name nor object', { input: [17] }, 'agent-invalid input[0]'],
    ['an unknown field of an entry', { input: [{ use: 'pii', colour: 1 }] }, 'agent-invalid input[0].colour'],
    ['an entry without `use`', { input: [{ as: 'mine' }] }, 'agent-invalid input[0].use'],
    ['a policy that is none', { output: [{ use: 'pii', onFailure: 'shrug' }] }, 'agent-invalid output[0].onFailure'],
    ['a limit of no time', { output: [{ use: 'pii', timeoutMs: 0 }] }, 'agent-invalid output[0].timeoutMs'],
    [
      'a `when` without a value',
      { input: [{ use: 'pii', when: { context: 'plan' } }] },
      'agent-invalid input[0].when.equals',
    ],
    [
      'a `when` that no value can equal',
      { input: [{ use: 'pii', when: { context: 'plan', equals: [1] } }] },
      'agent-invalid input[0].when.equals',
    ],
    ['too many attempts', { error: [{ use: 'pii', attempts: 11 }] }, 'agent-invalid error[0].attempts'],
  ])('with %s is refused by name and place', (_what, more, issue) => {
    expect(read(more).agent).toBeUndefined();
    expect(placeEntries(more)).toEqual([issue]);
  });

  test.each<[JsonObject, string]>([
    [{ prices: { 'gpt-5-mini': { input: 1, output: 2 } } }, 'prices.gpt-5-mini: must be "<provider>/<id>"'],
    [{ memory: { lastMessages: 'ten' } }, 'memory.lastMessages: must be a number, not a string'],
    [{ maxSteps: 251 }, 'maxSteps: must be at most 250'],
  ])('A definition with %j is refused with the expected value', (more, issue) => {
    expect(read(more).issues.map(({ path, message }) => `${path}: ${message}`)).toEqual([
      expect.stringContaining(issue),
    ]);
  });

  test('reports all issues at once, and reads the valid entries all the same', () => {
    const { issues, entries } = read({
      model: 'nope',
      colour: 'red',
      overlap: 'model',
      input: ['pii', 'x', { use: '!' }],
    });
    expect(issues.map(({ path = '' }) => path).toSorted()).toEqual(['colour', 'input[2].use', 'model', 'overlap']);
    expect(entries.map(({ entry }) => entry.use)).toEqual(['pii', 'x']);
  });
});

describe('the lists of the families', () => {
  const processors = {
    message_modifiers: ['core-prompt', { name: 'redactor', after: 'core-prompt' }],
    tool_modifiers: [{ parallel: [{ name: 'checker' }] }],
    response_modifiers: ['shortener'],
  };

  test('are those of input and output, and `name` is `use`', () => {
    const { agent, entries, issues } = read({ input: ['pii'], processors });
    expect(issues).toEqual([]);
    expect(agent?.input).toEqual([
      { use: 'pii' },
      { use: 'core-prompt' },
      { use: 'redactor', after: 'core-prompt' },
      { parallel: [{ use: 'checker' }] },
    ]);
    expect(agent?.output).toEqual([{ use: 'shortener' }]);
    expect(entries.map(({ path }) => path)).toEqual([
      'input[0]',
      'processors.message_modifiers[0]',
      'processors.message_modifiers[1]',
      'processors.tool_modifiers[0].parallel[0]',
      'processors.response_modifiers[0]',
    ]);
  });

  test('do not replace a member that is no list: it is refused', () => {
    const { issues } = read({ input: 'pii', processors });
    expect(issues.map(({ path }) => path)).toEqual(['input']);
  });

  test.each([
    ['a step of the model', { llm_steps: ['x'] }, 'processors.llm_steps'],
    ['an unknown family', { __families: [] }, 'processors.__families'],
    ['no list', { message_modifiers: 'x' }, 'processors.message_modifiers'],
    ['no object', ['x'], 'processors'],
  ])('are refused with their place and a remedy: %s', (_what, given, path) => {
    expect(read({ processors: given }).issues).toEqual([
      expect.objectContaining({ code: 'agent-invalid', path, remedy: expect.stringContaining('message_modifiers') }),
    ]);
  });
});

test.each([
  ['modelSettings.maxTokens', { modelSettings: { maxTokens: 5 } }, 'maxOutputTokens'],
  ['inputProcessors', { inputProcessors: ['pii'] }, 'input'],
  ['input[0].timeout', { input: [{ use: 'pii', timeout: 5 }] }, 'timeoutMs'],
])('a field that other frameworks name otherwise is refused with its name here: %s', (path, given, name) => {
  expect(read(given).issues).toEqual([expect.objectContaining({ path, remedy: `Its name is \`${name}\` here.` })]);
});

describe('a parallel group', () => {
  test('has its members at its position, and is a group in the agent too', () => {
    const { agent, entries, issues } = read({ input: ['a', { parallel: ['b', { use: 'c', timeoutMs: 5 }] }, 'd'] });
    expect(issues).toEqual([]);
    expect(agent?.input).toEqual([
      { use: 'a' },
      { parallel: [{ use: 'b' }, { use: 'c', timeoutMs: 5 }] },
      { use: 'd' },
    ]);
    expect(entries.map(({ entry, group, path }) => [entry.use, group, path])).toEqual([
      ['a', undefined, 'input[0]'],
      ['b', 'input[1]', 'input[1].parallel[0]'],
      ['c', 'input[1]', 'input[1].parallel[1]'],
      ['d', undefined, 'input[2]'],
    ]);
  });

  test.each<[string, JsonValue, string]>([
    ['without members', { parallel: [] }, 'agent-invalid input[0].parallel'],
    ['that overlaps something else', { parallel: ['a'], overlap: 'tools' }, 'agent-invalid input[0].overlap'],
    ['that is none', { parallel: 'a' }, 'agent-invalid input[0].parallel'],
    ['of more than 16', { parallel: Array<string>(17).fill('a') }, 'agent-invalid input[0].parallel'],
    ['with a policy of its own', { parallel: ['a'], timeoutMs: 1 }, 'agent-invalid input[0].timeoutMs'],
    ['in a group', { parallel: ['a', { parallel: ['b'] }] }, 'agent-invalid input[0].parallel[1].use'],
    ['with a place for a member', { parallel: [{ use: 'a', after: 'b' }] }, 'agent-invalid input[0].parallel[0].after'],
  ])('%s is refused by name and place', (_what, group, issue) => {
    expect(placeEntries({ input: [group] })[0]).toBe(issue);
  });
});

describe('a member "__proto__"', () => {
  test.each([
    ['at the top', '{"__proto__":{"model":"openai/x"},"name":"demo"}', '__proto__'],
    ['of an entry', '{"name":"demo","input":["pii",{"use":"pii","__proto__":1}]}', 'input[1].__proto__'],
    [
      'deep in options',
      '{"input":[{"use":"pii","options":{"a":[{"__proto__":{}}]}}]}',
      'input[0].options.a[0].__proto__',
    ],
  ])('%s is refused by its place', (_where, text, path) => {
    expect(readDefinition(JSON.parse(text))).toEqual({
      agent: undefined,
      entries: [],
      issues: [expect.objectContaining({ code: 'agent-invalid', path })],
    });
  });

  test('is no name either: of an agent, a processor, an entry', () => {
    expect(placeEntries({ name: '__proto__' })).toEqual(['agent-invalid name']);
    expect(placeEntries({ input: ['__proto__'] })).toEqual(['agent-invalid input[0]']);
    expect(placeEntries({ input: [{ use: 'pii', as: '__proto__' }] })).toEqual(['agent-invalid input[0].as']);
  });
});

describe('a definition above the limits of an agent is refused with one issue:', () => {
  test.each(['input', 'output', 'error'])('entries under %s', (list) => {
    const { issues, entries } = read({ [list]: Array.from({ length: 257 }, () => 'pii') });
    expect(issues).toMatchObject([{ code: 'agent-invalid', path: list }]);
    expect(entries).toEqual([]);
  });

  test('members of groups count too', () => {
    const group = { parallel: Array<string>(16).fill('pii') };
    expect(placeEntries({ input: Array.from({ length: 17 }, () => group) })).toEqual(['agent-invalid input']);
  });

  test('tools', () => {
    expect(placeEntries({ tools: Array.from({ length: 257 }, (_, at) => `t${at}`) })).toEqual(['agent-invalid tools']);
  });
});

describe('a field that no entry has', () => {
  test.each(['release', 'prices', 'overlap'])('(%s) is reported as unknown, not ignored', (field) => {
    expect(placeEntries({ input: [{ use: 'pii', [field]: 'x' }] })).toEqual([`agent-invalid input[0].${field}`]);
  });
});
