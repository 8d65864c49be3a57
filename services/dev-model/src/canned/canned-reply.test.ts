import { describe, expect, test } from 'vitest';
import {
  assistant,
  makeCallTurn,
  cannedText,
  conversation,
  system,
  toolResult,
  user,
} from '../testing/conversation-under-test.ts';
import { findCannedReply } from './canned-reply.ts';
import { parseExchanges } from './exchanges.ts';

const calls = (...args: Parameters<typeof conversation>) =>
  findCannedReply(conversation(...args)).toolCalls.map((call) => [call.name, JSON.parse(call.arguments)]);

describe('a canned exchange with a tool', () => {
  const question = user('My name is Ada. What is 17 * 23?');
  const call = makeCallTurn('c1', 'calculator', { expression: '17 * 23' });

  test.each([
    ['What is 17 * 23?', [['calculator', { expression: '17 * 23' }]]],
    ['My name is Ada. What is (2 + 3) * -4.5?', [['calculator', { expression: '(2 + 3) * -4.5' }]]],
    ['What time is it in Oslo?', [['clock', { timeZone: 'Europe/Oslo' }]]],
    ['What time is it?', [['clock', {}]]],
    [
      'What is 1+1, and what time is it?',
      [
        ['calculator', { expression: '1+1' }],
        ['clock', {}],
      ],
    ],
    ['What is due on 2026-11-21?', []],
    ['I have 3 cats and 2 dogs.', []],
    ['', []],
  ])('a canned exchange calls the tools that %j needs', (text, expected) => {
    expect(calls([user(text)])).toEqual(expected);
  });

  test("the reply contains the tool's result after the sentences without a tool", () => {
    expect(cannedText(question, call, toolResult('c1', { expression: '17 * 23', result: 391 }))).toBe(
      'Nice to meet you, Ada. 17 * 23 = 391.',
    );
  });

  test('the reply quotes the error of a failed tool and does not call it again', () => {
    const failed = [question, call, toolResult('c1', { error: 'Not on Sundays' })];
    expect(calls(failed)).toEqual([]);
    expect(cannedText(...failed)).toContain('The tool "calculator" failed: {"error":"Not on Sundays"}');
  });

  test('a tool is called again for the next question but not for a system message', () => {
    const first = [
      user('What is 1+1?'),
      makeCallTurn('c1', 'calculator', { expression: '1+1' }),
      toolResult('c1', '2'),
    ];
    expect(calls([...first, user('What is 1+1?')])).toEqual([['calculator', { expression: '1+1' }]]);
    expect(calls([system('What is 17 * 23?'), user('Hello')])).toEqual([]);
  });

  test('the reply names the tool that the caller did not offer', () => {
    const { text, toolCalls } = findCannedReply(conversation([question], { tools: [] }));
    expect(toolCalls).toEqual([]);
    expect(text).toContain('needs the tool "calculator"');
  });

  test('the reply obeys tool_choice and parallel_tool_calls', () => {
    const both = [user('What is 1 + 1, and what time is it?')];
    expect(calls(both, { parallelToolCalls: false })).toEqual([['calculator', { expression: '1 + 1' }]]);
    expect(calls(both, { toolChoice: 'none' })).toEqual([]);
    expect(calls(both, { toolChoice: { name: 'clock' } })).toEqual([['clock', {}]]);
    expect(calls([user('Hello')], { toolChoice: 'required' })).toEqual([['calculator', { expression: '' }]]);
  });
});

describe('a canned exchange with memory', () => {
  const history = [user('My name is Grace. I keep my bike in the cellar.'), assistant('My name is Bot.')];

  test.each([
    [[], 'Your name is Grace.'],
    [[user('No, my name is Ada Lovelace.')], 'Your name is Ada Lovelace.'],
  ])('the last match in the conversation gives the answer', (more, answer) => {
    expect(cannedText(...history, ...more, user('What is my name?'))).toBe(answer);
  });

  test.each([
    '<working-memory>\n# What is known about the user\n- Name: Ada\n- City: Oslo\n</working-memory>',
    'Working memory: {"name":"Ada","city":"Oslo"}',
    'Remembered:\nUser: My name is Ada and I live in Oslo.',
  ])('a system message gives the answer: %j', (memory) => {
    expect(cannedText(system(memory), user('What is my name? Where do I live?'))).toBe(
      'Your name is Ada. You live in Oslo.',
    );
  });

  test('the reply quotes the remembered sentence', () => {
    const memory = system('Recalled:\nUser: I parked my car on level 4 of the north garage.\nAssistant: Noted.');
    expect(cannedText(memory, user('Where did I park my car?'))).toBe(
      'You told me: "I parked my car on level 4 of the north garage."',
    );
  });

  test('the reply states that nothing is known if no text matches', () => {
    expect(cannedText(user('Where did I park my car?'))).toContain('Nothing in the memory');
  });
});

describe('a text without a canned exchange', () => {
  test('a text without an exchange gets the name of the server and the way to a real model', () => {
    const answer = cannedText(user(`Write a poem about the ${'very '.repeat(500)}blue sea.`));
    expect(answer).toContain('"Write a poem about the very');
    expect(answer).toContain('OPENAI_API_KEY');
    expect(answer.length).toBeLessThan(300);
    expect(cannedText(system('Be nice.'))).toContain('development stand-in');
  });
});

describe('the file of exchanges', () => {
  test.each([
    ['[{"user": "(", "text": ""}]', /Invalid regular expression/],
    ['[{"user": "a"}]', /text/],
    ['[{"user": "a", "text": "", "txet": ""}]', /txet/],
  ])('the file of exchanges is rejected with the position of the error: %s', (source, message) => {
    expect(() => parseExchanges(source)).toThrow(message);
  });
});
