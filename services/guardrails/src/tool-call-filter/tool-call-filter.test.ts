import { textMessage, type Message, type Prompt } from '@millrace/contracts';
import { MessageList } from '@millrace/processor';
import { commonArgs, inputArgs } from '@millrace/testkit';
import { describe, expect, test } from 'vitest';
import { withTool } from '../testing/messages.ts';
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
const requested = (options: object, prompt: Prompt) =>
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

describe('the prompt of a model call', () => {
  const old: Prompt = [
    user('a'),
    assistant(text, call('notes')),
    result('notes'),
    assistant(call('clock')),
    result('clock'),
  ];
  const now: Prompt = [user('b'), assistant(call('notes')), result('notes')];
  test('loses the calls of earlier turns with their results, and no others', () => {
    expect(requested({}, [...old, ...now])).toEqual({ prompt: [user('a'), assistant(text), ...now] });
  });
  test('loses only the calls of the named tools', () => {
    expect(requested({ exclude: ['clock'] }, [...old, ...now])).toEqual({ prompt: [...old.slice(0, 3), ...now] });
  });
  test('is left alone where there is nothing to leave out', () => {
    expect(requested({}, now)).toBeUndefined();
    expect(requested({ exclude: [] }, [...old, ...now])).toBeUndefined();
  });
  test('a name in a text is no call', () => {
    const said: Prompt = [{ role: 'system', content: 'tool-call notes' }, assistant(text), user('b')];
    expect(requested({}, said)).toBeUndefined();
  });
});

describe('the input', () => {
  const spoken: Message = {
    ...withTool('m2', {}, 'x'),
    content: { format: 2, parts: [...withTool('m2', {}, 'x').content.parts, { type: 'text', text: 'done' }] },
  };
  const given = () => {
    const entries = [
      { source: 'remembered' as const, message: withTool('m1', {}, 'secret') },
      { source: 'remembered' as const, message: spoken },
      { source: 'input' as const, message: withTool('m3', {}, 'mine') },
      { source: 'input' as const, message: textMessage('m4', 'user', 'hi') },
    ];
    const messageList = new MessageList({ entries, system: [] }, 'input');
    return { ...inputArgs([]), messageList };
  };
  test('loses the calls that memory brought, and messages that held nothing else; what is stored stays', () => {
    const args = given();
    void filter({}).processInput?.(args);
    expect(args.messageList.get.all.db().map(({ id, content }) => [id, content.parts.map(({ type }) => type)])).toEqual(
      [
        ['m2', ['text']],
        ['m3', ['tool-invocation']],
        ['m4', ['text']],
      ],
    );
  });
  test('loses nothing of tools that are not named', () => {
    const args = given();
    void filter({ exclude: ['clock'] }).processInput?.(args);
    expect(args.messageList.takeOps()).toEqual([]);
  });
});
