import { describe, expect, test } from 'vitest';
import { applyChanges, changesSchema, findRefusedChange, type Changes } from './changes.ts';
import { emptyConversation } from './conversation.ts';
import { buildTextMessage } from './message.ts';
import { STAGES, type Stage } from '../base/stage.ts';
import type { StageInput } from '../stage/stage-call.ts';

/** One value for each member that changes may have. */
const every: Required<Changes> = {
  ops: [],
  model: 'openai/gpt-5-mini',
  tools: [],
  activeTools: null,
  toolChoice: 'auto',
  modelSettings: {},
  providerOptions: {},
  structuredOutput: null,
  prompt: [],
  text: '',
  toolCalls: [],
  args: {},
  result: null,
  isError: true,
};

test('allowed changes by stage', () => {
  const listAllowed = (stage: Stage) =>
    Object.entries(every).flatMap(([key, value]) =>
      findRefusedChange(stage, { [key]: value }) === undefined ? [key] : [],
    );
  expect(Object.fromEntries(STAGES.map((stage) => [stage, listAllowed(stage).join(' ')]))).toEqual({
    processInput: 'ops',
    processInputStep: 'ops model tools activeTools toolChoice modelSettings providerOptions structuredOutput',
    processLLMRequest: 'prompt',
    processAPIError: 'ops',
    processOutputStream: '',
    processLLMResponse: '',
    processOutputStep: 'ops text toolCalls',
    processToolCall: 'args',
    processToolResult: 'result isError',
    processOutputResult: 'ops',
  });
});

test('findRefusedChange returns the first member that the stage does not allow', () => {
  expect(findRefusedChange('processInput', { ops: [], prompt: [] })).toBe('prompt');
});

test('The schema rejects an unknown member', () => {
  expect(changesSchema.safeParse({ temperature: 1 }).error?.issues[0]?.message).toContain('temperature');
});

describe('applying', () => {
  const base: StageInput = { retryCount: 0, stepNumber: 0 };

  test('applyChanges applies operations to the conversation', () => {
    const message = buildTextMessage('a', 'user', 'hello');
    const input = applyChanges(
      { conversation: emptyConversation, model: 'openai/a' },
      { ops: [{ op: 'add', source: 'input', message }] },
    );
    expect(input).toEqual({ model: 'openai/a', conversation: { entries: [{ source: 'input', message }], system: [] } });
  });

  test('applyChanges replaces the arguments of the tool call and keeps its other members', () => {
    const toolCall = { toolCallId: '1', toolName: 't', args: { a: 1 } };
    expect(applyChanges({ toolCall }, { args: { a: 2 } })).toEqual({ toolCall: { ...toolCall, args: { a: 2 } } });
  });

  test('applyChanges applies null and false: all tools are active again, the result is no error', () => {
    const before: StageInput = { ...base, activeTools: ['x'], isError: true, result: 1 };
    const after = { ...base, activeTools: null, isError: false, result: null };
    expect(applyChanges(before, { activeTools: null, isError: false, result: null })).toEqual(after);
  });

  test('applyChanges keeps absent members and does not modify its input', () => {
    const before: StageInput = { ...base, model: 'openai/a', tools: [] };
    expect(applyChanges(before, { model: 'openai/b' })).toEqual({ ...base, model: 'openai/b', tools: [] });
    expect(before.model).toBe('openai/a');
  });
});
