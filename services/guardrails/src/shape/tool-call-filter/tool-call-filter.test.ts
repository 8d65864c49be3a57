import { buildTextMessage, type Message, type Prompt } from '@millrace/contracts';
import { MessageList } from '@millrace/processor';
import { commonArgs, inputArgs } from '@millrace/testkit';
import { describe, expect, test } from 'vitest';
import { messageWithTool } from '../../testing/messages.ts';
import { toolCallFilter } from './tool-call-filter.ts';

const filter = (options: object) => toolCallFilter.create(toolCallFilter.options.parse(options));

const user = (text: string) => ({ role: 'user' as const, content: [{ type: 'text', text }] });
const assistant = (...content: object[]) => ({ role: 'assistant' as const, content });
const call = (toolName: string) => ({ type: 'tool-call', toolCallId: '1', toolName, input: {} });
const result = (toolName: string) => ({
  role: 'tool' as const,
  content: [{ type: 'tool-result', toolCallId: '1', toolName, output: { type: 'json', value: 1 } }],
});
const text = { type: 'text', text: 'I looked.' };
const filterPrompt = (options: object, prompt: Prompt) =>
  filter(options).processLLMRequest?.({
    ...commonArgs(),
    prompt,
    model: 'openai/x',
    steps: [],
    tools: [],
    modelSettings: {},
    providerOptions: {},
    guards: [],
  });

describe('prompts of model calls', () => {
  const old: Prompt = [
    user('a'),
    assistant(text, call('notes')),
    result('notes'),
    assistant(call('clock')),
    result('clock'),
  ];
  const now: Prompt = [user('b'), assistant(call('notes')), result('notes')];
  test('the filter removes calls of earlier turns with their results and no others', () => {
    expect(filterPrompt({}, [...old, ...now])).toEqual({ prompt: [user('a'), assistant(text), ...now] });
  });
  test('the filter removes only the calls of the listed tools', () => {
    expect(filterPrompt({ exclude: ['clock'] }, [...old, ...now])).toEqual({ prompt: [...old.slice(0, 3), ...now] });
  });
  test('the filter leaves a prompt without matching calls unchanged', () => {
    expect(filterPrompt({}, now)).toBeUndefined();
    expect(filterPrompt({ exclude: [] }, [...old, ...now])).toBeUndefined();
  });
  test('the filter ignores a tool name in a text', () => {
    const said: Prompt = [{ role: 'system', content: 'tool-call notes' }, assistant(text), user('b')];
    expect(filterPrompt({}, said)).toBeUndefined();
  });
});

describe('input messages', () => {
  const spoken: Message = {
    ...messageWithTool('m2', {}, 'x'),
    content: { format: 2, parts: [...messageWithTool('m2', {}, 'x').content.parts, { type: 'text', text: 'done' }] },
  };
  const buildArgs = () => {
    const entries = [
      { source: 'remembered' as const, message: messageWithTool('m1', {}, 'secret') },
      { source: 'remembered' as const, message: spoken },
      { source: 'input' as const, message: messageWithTool('m3', {}, 'mine') },
      { source: 'input' as const, message: buildTextMessage('m4', 'user', 'hi') },
    ];
    const messageList = new MessageList({ entries, system: [] }, 'input');
    return { ...inputArgs([]), messageList };
  };
  test('the filter removes remembered calls and empty messages and leaves stored messages unchanged', () => {
    const args = buildArgs();
    void filter({}).processInput?.(args);
    expect(args.messageList.get.all.db().map(({ id, content }) => [id, content.parts.map(({ type }) => type)])).toEqual(
      [
        ['m2', ['text']],
        ['m3', ['tool-invocation']],
        ['m4', ['text']],
      ],
    );
  });
  test('the filter keeps calls of tools that are not listed', () => {
    const args = buildArgs();
    void filter({ exclude: ['clock'] }).processInput?.(args);
    expect(args.messageList.takeOps()).toEqual([]);
  });
});
