import { commonArgs, inputArgs, toolCallArgs } from '@millrace/testkit';
import { describe, expect, test } from 'vitest';
import type { ToolDefinition } from '@millrace/contracts';
import { toolAllowList } from './tool-allow-list.ts';

const guard = (options: object) => toolAllowList.create(toolAllowList.options.parse(options));
const tool = (name: string): ToolDefinition => ({
  name,
  description: '',
  inputSchema: {},
  subject: `tool.${name}`,
  idempotent: false,
  timeoutMs: 1_000,
});
const tools = Object.fromEntries(['notes', 'web-get', 'web-post'].map((name) => [name, tool(name)]));
const stepArgs = (more: object = {}) => ({
  ...inputArgs(['hi']),
  model: 'openai/x',
  tools,
  modelSettings: {},
  providerOptions: {},
  steps: [],
  ...more,
});
const offered = (options: object, more: object = {}) => guard(options).processInputStep?.(stepArgs(more));
/** The test run: tenant default, agent demo, thread thread-1, resource ada. */
const callOf = (options: object) => {
  const args = toolCallArgs({}, commonArgs());
  return { args, answer: guard(options).processToolCall?.(args) };
};

describe('what a model is offered', () => {
  test('is everything where nothing is said', () => expect(offered({})).toBeUndefined());
  test.each([
    [{ allow: ['notes'] }, ['notes']],
    [{ allow: ['web-*'] }, ['web-get', 'web-post']],
    [{ deny: ['web-p*'] }, ['notes', 'web-get']],
    [{ allow: ['web-*'], deny: ['web-post'] }, ['web-get']],
    [{ allow: [] }, []],
  ])('with %j is %j', (options, activeTools) => expect(offered(options)).toEqual({ activeTools }));
  test('is never more than processors before it left', () => {
    expect(offered({ deny: ['notes'] }, { activeTools: ['notes', 'web-get'] })).toEqual({ activeTools: ['web-get'] });
  });
  test('is not forced any more where it is gone', () => {
    const forced = { toolChoice: { type: 'tool', toolName: 'notes' } };
    expect(offered({ deny: ['notes'] }, forced)).toMatchObject({ toolChoice: 'auto' });
    expect(offered({ deny: ['web-*'] }, forced)).not.toHaveProperty('toolChoice');
    expect(offered({ allow: [] }, { toolChoice: 'required' })).toMatchObject({ toolChoice: 'auto' });
  });
});

describe('a rule', () => {
  test.each([
    [{ agents: ['demo'] }, 'about the agent', true],
    [{ agents: ['other'] }, 'about another agent', false],
    [{ tenants: ['default'], threads: ['thread-1'] }, 'about tenant and thread', true],
    [{ tenants: ['default'], threads: ['thread-2'] }, 'about another thread of the tenant', false],
    [{ resources: ['ada'] }, 'about the resource', true],
  ])('%j, %#: decides only the runs that it is about', (whose, _, decides) => {
    const answer = offered({ allow: ['notes'], rules: [{ ...whose, allow: ['web-*'] }] });
    expect(answer).toEqual({ activeTools: decides ? ['web-get', 'web-post'] : ['notes'] });
  });
  test('that comes later decides instead of an earlier one, and nothing overrides `deny`', () => {
    const rules = [{ allow: ['notes'] }, { allow: ['*'], deny: ['web-get'] }];
    expect(offered({ deny: ['web-post'], rules })).toEqual({ activeTools: ['notes'] });
  });
});

describe('a call', () => {
  test('of a tool that is allowed passes', () => expect(callOf({ allow: ['notes'] }).answer).toBeUndefined());
  test('of any other tool is denied, and told of', () => {
    const { answer, args } = callOf({ allow: ['web-*'] });
    expect(answer).toEqual({ deny: true, reason: 'This tool is not allowed here.', code: 'tool-not-allowed' });
    expect(args.violations).toMatchObject([{ rule: 'tool-not-allowed', detail: { toolName: 'notes' } }]);
  });
});

test.each([{ allow: 'notes' }, { rules: [{ agents: [] }] }, { rules: [{ agent: 'a' }] }])(
  'options %j are refused',
  (options) => expect(toolAllowList.options.safeParse(options).success).toBe(false),
);
