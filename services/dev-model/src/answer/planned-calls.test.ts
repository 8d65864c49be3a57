import { describe, expect, test } from 'vitest';
import { parsedJson } from '../json.ts';
import {
  calculator,
  called,
  clock,
  conversation,
  system,
  toolResult,
  user,
} from '../testing/conversation-under-test.ts';
import type { Conversation, Turn } from '../conversation.ts';
import { dueCalls } from './planned-calls.ts';

const calls = (turns: readonly Turn[], settings: Partial<Conversation> = {}) =>
  dueCalls(conversation(turns, settings)).map((call) => [call.name, parsedJson(call.arguments)]);
const callsFor = (text: string, settings: Partial<Conversation> = {}) => calls([user(text)], settings);

describe('a tool is called', () => {
  test('for arithmetic, with the expression', () => {
    expect(callsFor('What is 17 * 23?')).toEqual([['calculator', { expression: '17 * 23' }]]);
  });

  test('by its schema, whatever it is called', () => {
    const tools = [{ ...calculator, name: 'sums' }];
    expect(callsFor('What is 17 * 23?', { tools })).toEqual([['sums', { expression: '17 * 23' }]]);
  });

  test('with its other required arguments filled in', () => {
    const parameters = {
      type: 'object',
      properties: { expression: { type: 'string' }, digits: { type: 'integer', minimum: 2 }, unit: { type: 'string' } },
      required: ['expression', 'digits'],
    };
    expect(callsFor('What is 1 + 1?', { tools: [{ ...calculator, parameters }] })).toEqual([
      ['calculator', { expression: '1 + 1', digits: 2 }],
    ]);
  });

  test.each([
    ['What time is it?', {}],
    ["What's the time?", {}],
    ['Do you know what day it is?', {}],
    ['What time is it in Oslo?', { timeZone: 'Europe/Oslo' }],
    ['What is the date in America/New_York?', { timeZone: 'America/New_York' }],
    ['What is the current time in UTC?', { timeZone: 'UTC' }],
  ])('for the time: %s', (question, args) => {
    expect(callsFor(question)).toEqual([['clock', args]]);
  });

  test.each(['What day did I park?', 'What is the date of my appointment?', 'It is time.', 'Hello', 'I like 3 cats.'])(
    'not for: %s',
    (text) => {
      expect(callsFor(text)).toEqual([]);
    },
  );

  test('where the user names it', () => {
    const notes = {
      name: 'notes',
      description: '',
      parameters: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
    };
    const text = 'Use the notes tool to keep this.';
    expect(callsFor(text, { tools: [notes] })).toEqual([['notes', { text }]]);
    expect(callsFor('I made notes.', { tools: [notes] })).toEqual([]);
  });

  test('together with others, or one by one where the caller wants that', () => {
    const turns = [user('What is 1 + 1 and what time is it?')];
    expect(calls(turns).map(([name]) => name)).toEqual(['calculator', 'clock']);
    expect(calls(turns, { parallelToolCalls: false })).toEqual([['calculator', { expression: '1 + 1' }]]);
    const next = [...turns, called('c1', 'calculator', { expression: '1 + 1' }), toolResult('c1', '2')];
    expect(calls(next, { parallelToolCalls: false })).toEqual([['clock', {}]]);
  });

  test('once for a question, even when it failed', () => {
    const failed = toolResult('c1', { error: 'broken' });
    expect(calls([user('What is 1+1?'), called('c1', 'calculator', { expression: '1+1' }), failed])).toEqual([]);
  });

  test('again for the next question', () => {
    const first = [user('What is 1+1?'), called('c1', 'calculator', { expression: '1+1' }), toolResult('c1', '2')];
    expect(calls([...first, user('And what is 1+1?')])).toEqual([['calculator', { expression: '1+1' }]]);
  });

  test('never for what a system message says', () => {
    expect(calls([system('What is 17 * 23? Use the clock.'), user('Hello')])).toEqual([]);
  });
});

describe('tool_choice', () => {
  test('none: no call', () => {
    expect(callsFor('What is 17 * 23?', { toolChoice: 'none' })).toEqual([]);
  });

  test('required: a call also where none is needed', () => {
    expect(callsFor('Hello', { toolChoice: 'required' })).toEqual([['calculator', { expression: '' }]]);
  });

  test('a name: that tool and no other', () => {
    const toolChoice = { name: 'clock' };
    expect(callsFor('What is 17 * 23?', { toolChoice })).toEqual([['clock', {}]]);
    expect(callsFor('Hello', { toolChoice, tools: [calculator, clock] })).toEqual([['clock', {}]]);
  });
});
