import { describe, expect, test } from 'vitest';
import { CHAT_GROUPS } from '../members/chat-members.ts';
import { checkMembers, listSettings } from '../members/member-table.ts';
import { needsSettingTraits, readForm, readModelSettings } from './run-settings.ts';

const CHAT_SETTINGS = listSettings(CHAT_GROUPS.request.table);

const closed = { callerSettings: [], hasForm: false };
const open = { callerSettings: ['maxOutputTokens' as const, 'stopSequences' as const], hasForm: false };

describe('settings of the model', () => {
  const request = {
    temperature: 0,
    max_tokens: 9,
    max_completion_tokens: 5,
    stop: 'END',
    seed: null,
    verbosity: 'low',
  };

  test('Those that the agent opens are settings of the run, and the others are listed', () => {
    expect(readModelSettings(request, CHAT_SETTINGS, open)).toEqual({
      modelSettings: { maxOutputTokens: 5, stopSequences: ['END'] },
    });
    expect(checkMembers(request, CHAT_GROUPS, open.callerSettings)).toEqual(['temperature', 'verbosity']);
  });

  test('An agent that opens none gets none', () => {
    expect(readModelSettings(request, CHAT_SETTINGS, closed)).toEqual({});
    expect(checkMembers(request, CHAT_GROUPS, closed.callerSettings)).toEqual([
      'temperature',
      'max_tokens',
      'max_completion_tokens',
      'stop',
      'verbosity',
    ]);
  });

  test('A value of the wrong kind is refused by the name of its member', () => {
    expect(() => readModelSettings({ max_tokens: 'many' }, CHAT_SETTINGS, open)).toThrow(
      expect.objectContaining({ code: 'message-invalid', path: 'max_tokens' }),
    );
  });

  test('Only a request with a setting or a form depends on the agent', () => {
    expect(needsSettingTraits({ seed: null, n: 1 }, CHAT_SETTINGS, undefined)).toBe(false);
    expect(needsSettingTraits({ seed: 1 }, CHAT_SETTINGS, undefined)).toBe(true);
    expect(needsSettingTraits({}, CHAT_SETTINGS, { type: 'text' })).toBe(true);
  });
});

describe('the form of the answer', () => {
  const schema = { type: 'object', properties: {} };
  const read = (format: unknown, traits = closed) => readForm(format, 'response_format', traits);

  test('Both protocols have the schema, its name and its description', () => {
    const structuredOutput = { schema, name: 'facts', description: 'Facts.' };
    const members = { ...structuredOutput, strict: true };
    expect(read({ type: 'json_schema', json_schema: members })).toEqual({ structuredOutput });
    expect(read({ type: 'json_schema', ...members })).toEqual({ structuredOutput });
  });

  test('A text has no form, and json_object requests any object unless the agent has a form', () => {
    expect(read(undefined)).toEqual({});
    expect(read({ type: 'text' })).toEqual({});
    expect(read({ type: 'json_object' })).toMatchObject({ structuredOutput: { schema: { type: 'object' } } });
    expect(read({ type: 'json_object' }, { ...closed, hasForm: true })).toEqual({});
  });

  test.each([
    ['a schema for an agent with a form', { type: 'json_schema', schema }, { ...closed, hasForm: true }, 'run-refused'],
    ['another type', { type: 'grammar' }, closed, 'not-built-yet'],
    ['a schema that is no object', { type: 'json_schema', schema: [] }, closed, 'message-invalid'],
    ['a name with a space', { type: 'json_schema', schema, name: 'a b' }, closed, 'message-invalid'],
    ['a long schema', { type: 'json_schema', schema: { title: 'a'.repeat(40_000) } }, closed, 'message-invalid'],
  ])('%s is refused', (_what, format, traits, code) => {
    expect(() => read(format, traits)).toThrow(expect.objectContaining({ code, path: 'response_format' }));
  });
});
