import type { JsonObject } from '@millrace/contracts';
import { describe, expect, test } from 'vitest';
import { makePlan, planEntry } from '../testing/plan-entries.ts';
import { warnToolNames } from './tool-name-warnings.ts';

const names = { type: 'array', items: { type: 'string', format: 'tool-name' } };
const schema: JsonObject = {
  type: 'object',
  properties: {
    tools: names,
    title: { type: 'string' },
    exclude: { anyOf: [{ const: 'all' }, names] },
    rules: { type: 'array', items: { type: 'object', properties: { allow: names } } },
  },
};
const tool = (name: string) => ({
  name,
  description: '',
  inputSchema: {},
  subject: `tool.${name}`,
  idempotent: true,
  timeoutMs: 1_000,
});
const warn = (options: JsonObject) => {
  const plan = { ...makePlan([planEntry('gate', { options })]), tools: [tool('send-feedback'), tool('clock')] };
  return warnToolNames(plan, () => schema).map(({ code, message }) => `${code}: ${message}`);
};

describe('names of tools in options', () => {
  test('a name and a prefix of the agent’s tools cause no warning', () => {
    expect(warn({ tools: ['send-feedback', 'cl*', '*'], title: 'nothing', exclude: 'all' })).toEqual([]);
  });

  test.each<[string, JsonObject]>([
    ['a list', { tools: ['sendfeedback'] }],
    ['an alternative', { exclude: ['sendfeedback'] }],
    ['a list of rules', { rules: [{ allow: ['clock'] }, { allow: ['sendfeedback'] }] }],
  ])('a name without a tool in %s causes one warning', (_where, options) => {
    expect(warn(options)).toEqual([
      'tool-name-without-tool: "gate" names the tool "sendfeedback", which this agent does not have.',
    ]);
  });

  test('a prefix without a tool causes a warning', () => {
    expect(warn({ tools: ['mail-*'] })).toHaveLength(1);
  });
});
