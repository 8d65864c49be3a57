import { expect, test } from 'vitest';
import { agentSchema } from './agent.ts';
import { appliedAgentSchema } from './plan.ts';
import { publicAgentSchema, showAgent } from './public-agent.ts';

const agent = agentSchema.parse({
  name: 'demo',
  model: 'openai/gpt-5-mini',
  instructions: 'Be brief.',
  tools: ['clock', { use: 'send-mail', whenUntrusted: 'deny' }],
  input: [{ use: 'keyword', options: { keywords: ['nightingale'] } }],
  memory: { lastMessages: 3, workingMemory: { template: 'Name: {{name}}' } },
});
const plan = { entries: {}, order: { processInput: ['keyword'] }, tools: [] };
const applied = { agent, plan, revision: 4, appliedAt: '2026-01-01T00:00:00.000Z' };

test('The public part of an agent has its tools without their rules, and its memory without options', () => {
  expect(publicAgentSchema.parse(showAgent(applied))).toEqual({
    agent: {
      name: 'demo',
      tools: ['clock', { use: 'send-mail' }],
      callerRoles: ['user', 'assistant', 'tool'],
      memory: { lastMessages: 3 },
    },
    revision: 4,
    appliedAt: applied.appliedAt,
  });
});

test('A reader of an earlier version parses the public part as an applied agent without a plan', () => {
  const { agent: read, plan: empty } = appliedAgentSchema.parse(showAgent(applied));
  expect(read).toMatchObject({ name: 'demo', model: 'openai/demo', instructions: [], input: [] });
  expect(empty).toEqual({ entries: {}, order: {}, tools: [] });
});
