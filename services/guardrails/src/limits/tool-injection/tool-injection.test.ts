import type { JsonObject, ToolDefinition } from '@millrace/contracts';
import { createEntryArgs } from '@millrace/processor';
import { callContext, callEntry, catchStop, inputArgs } from '@millrace/testkit';
import { afterAll, expect, test } from 'vitest';
import { BOUNDS } from '../../work/bounds.ts';
import { closeThreads } from '../../work/task.ts';
import { toolInjection } from './tool-injection.ts';

afterAll(closeThreads);

const tool = (name: string): ToolDefinition => ({
  name,
  description: '',
  inputSchema: {},
  subject: `tool.${name}`,
  idempotent: false,
  timeoutMs: 1_000,
});
const tools = Object.fromEntries(['clock', 'sum', 'web-get', 'web-post'].map((name) => [name, tool(name)]));
const RULES = [
  { tools: ['sum'], pattern: '\\d' },
  { tools: ['web-*'], pattern: 'page|site', context: { key: 'plan', equals: 'pro' } },
  { tools: ['web-get'], context: { key: 'beta', equals: true } },
];

function offerTools(text: string, context: JsonObject = {}, more: object = {}) {
  const { common } = createEntryArgs(callEntry('guard'), callContext({ requestContext: context }), {
    writeFailed: () => undefined,
  });
  const call = { model: 'openai/x', tools, modelSettings: {}, providerOptions: {}, steps: [] };
  const args = { ...inputArgs(['12 pages', text]), ...call, requestContext: common.requestContext, ...more };
  return toolInjection.create(toolInjection.options.parse({ rules: RULES })).processInputStep?.(args);
}

test.each([
  ['hello', {}, ['clock']],
  ['2 and 3', {}, ['clock', 'sum']],
  ['Read the PAGE.', {}, ['clock']],
  ['Read the PAGE.', { plan: 'pro' }, ['clock', 'web-get', 'web-post']],
  ['hello', { beta: true }, ['clock', 'web-get']],
  ['hello', { beta: 'true' }, ['clock']],
])('the message %j with the context %j offers %j', async (text, context: JsonObject, activeTools) => {
  expect(await offerTools(text, context)).toEqual({ activeTools });
});

test('nothing changes if each tool is offered', async () => {
  expect(await offerTools('2 pages', { plan: 'pro' })).toBeUndefined();
});

test('a tool that an earlier entry removed stays removed', async () => {
  expect(await offerTools('2 pages', { plan: 'pro' }, { activeTools: ['sum'] })).toBeUndefined();
  expect(await offerTools('hello', {}, { activeTools: ['sum', 'clock'] })).toEqual({ activeTools: ['clock'] });
});

test('a forced choice of a tool that is not offered becomes free', async () => {
  const toolChoice = { type: 'tool', toolName: 'sum' };
  expect(await offerTools('hello', {}, { toolChoice })).toEqual({ activeTools: ['clock'], toolChoice: 'auto' });
});

test('a long message is read on another thread, and a message above the bound stops the run', async () => {
  expect(await offerTools(`${'words '.repeat(10_000)}7`)).toEqual({ activeTools: ['clock', 'sum'] });
  const stop = await catchStop(() => offerTools('x'.repeat(BOUNDS.characters + 1)));
  expect(stop).toMatchObject({ type: 'abort', metadata: { rules: ['too-many-characters'] } });
});

test.each([
  { rules: [] },
  { rules: [{ tools: ['sum'] }] },
  { rules: [{ tools: [], pattern: 'x' }] },
  { rules: [{ tools: ['sum'], pattern: '(?=x)' }] },
])('the options %j are refused', (options) => expect(toolInjection.options.safeParse(options).success).toBe(false));
