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
const offerTools = (options: object, more: object = {}) => guard(options).processInputStep?.(stepArgs(more));
/** The test run: tenant default, agent demo, thread thread-1, resource ada. */
const createCall = (options: object) => {
  const args = toolCallArgs({}, commonArgs());
  return { args, answer: guard(options).processToolCall?.(args) };
};

describe('offered tools', () => {
  test('the model is offered every tool by default', () => expect(offerTools({})).toBeUndefined());
  test.each([
    [{ allow: ['notes'] }, ['notes']],
    [{ allow: ['web-*'] }, ['web-get', 'web-post']],
    [{ deny: ['web-p*'] }, ['notes', 'web-get']],
    [{ allow: ['web-*'], deny: ['web-post'] }, ['web-get']],
    [{ allow: [] }, []],
  ])('the options %j offer %j', (options, activeTools) => expect(offerTools(options)).toEqual({ activeTools }));
  test('the list never restores a tool that an earlier processor removed', () => {
    expect(offerTools({ deny: ['notes'] }, { activeTools: ['notes', 'web-get'] })).toEqual({
      activeTools: ['web-get'],
    });
  });
  test('the list removes a forced tool choice together with its tool', () => {
    const forced = { toolChoice: { type: 'tool', toolName: 'notes' } };
    expect(offerTools({ deny: ['notes'] }, forced)).toMatchObject({ toolChoice: 'auto' });
    expect(offerTools({ deny: ['web-*'] }, forced)).not.toHaveProperty('toolChoice');
    expect(offerTools({ allow: [] }, { toolChoice: 'required' })).toMatchObject({ toolChoice: 'auto' });
  });
});

describe('rules for some runs', () => {
  test.each([
    [{ agents: ['demo'] }, 'about the agent', true],
    [{ agents: ['other'] }, 'about another agent', false],
    [{ tenants: ['default'], threads: ['thread-1'] }, 'about tenant and thread', true],
    [{ tenants: ['default'], threads: ['thread-2'] }, 'about another thread of the tenant', false],
    [{ resources: ['ada'] }, 'about the resource', true],
  ])('rule %j, %#: applies only to matching runs', (whose, _, decides) => {
    const answer = offerTools({ allow: ['notes'], rules: [{ ...whose, allow: ['web-*'] }] });
    expect(answer).toEqual({ activeTools: decides ? ['web-get', 'web-post'] : ['notes'] });
  });
  test('a later rule overrides an earlier one, and no rule overrides `deny`', () => {
    const rules = [{ allow: ['notes'] }, { allow: ['*'], deny: ['web-get'] }];
    expect(offerTools({ deny: ['web-post'], rules })).toEqual({ activeTools: ['notes'] });
  });
});

describe('tool calls', () => {
  test('the list passes a call of an allowed tool', () =>
    expect(createCall({ allow: ['notes'] }).answer).toBeUndefined());
  test('the list denies and reports a call of any other tool', () => {
    const { answer, args } = createCall({ allow: ['web-*'] });
    expect(answer).toEqual({ deny: true, reason: 'This tool is not allowed here.', code: 'tool-not-allowed' });
    expect(args.violations).toMatchObject([{ rule: 'tool-not-allowed', detail: { toolName: 'notes' } }]);
  });
});

test.each([{ allow: 'notes' }, { rules: [{ agents: [] }] }, { rules: [{ agent: 'a' }] }])(
  'the list rejects the options %j',
  (options) => expect(toolAllowList.options.safeParse(options).success).toBe(false),
);
