import { describe, expect, test } from 'vitest';
import {
  answerTo,
  assistant,
  called,
  conversation,
  system,
  toolResult,
  user,
} from '../testing/conversation-under-test.ts';
import { standInReply } from './answer.ts';

describe('an answer after a tool', () => {
  const question = user('My name is Ada. What is 17 * 23?');
  const call = called('c1', 'calculator', { expression: '17 * 23' });

  test.each([[{ result: 391 }], ['391'], [391], [{ expression: '17 * 23', value: 391 }]])(
    'greets and calculates, whatever form the result has: %j',
    (result) => {
      expect(answerTo(question, call, toolResult('c1', result))).toBe('Nice to meet you, Ada. 17 * 23 = 391.');
    },
  );

  test.each([
    [{ error: 'no such function' }, 'no such function'],
    [{ error: { code: 'tool-denied', message: 'Not on Sundays' } }, 'Not on Sundays'],
    [{ denied: true, reason: 'Not allowed here' }, 'Not allowed here'],
    ['Error: it broke', 'it broke'],
  ])('says why a tool did not do it: %j', (result, reason) => {
    const answer = answerTo(user('What is 17 * 23?'), call, toolResult('c1', result));
    expect(answer).toContain('calculator did not do it');
    expect(answer).toContain(reason);
    expect(answer).not.toContain('391');
  });

  test('tells of several results in the order of the calls', () => {
    const answer = answerTo(
      user('What is 17 * 23 and what time is it?'),
      called('c1', 'calculator', { expression: '17 * 23' }),
      called('c2', 'clock', {}),
      toolResult('c1', { result: 391 }),
      toolResult('c2', { iso: '2026-11-21T01:00:00Z', timeZone: 'UTC' }),
    );
    expect(answer).toBe('17 * 23 = 391. It is 2026-11-21T01:00:00Z.');
  });

  test('passes on what a tool that it does not know says', () => {
    expect(
      answerTo(user('use lookup'), called('c1', 'lookup', { query: 'x' }), toolResult('c1', { answer: 'It is so' })),
    ).toBe('lookup says: It is so.');
  });

  test('does not tell again what an earlier question got', () => {
    const earlier = [question, call, toolResult('c1', { result: 391 }), assistant('17 * 23 = 391.')];
    expect(answerTo(...earlier, user('Hello'))).not.toContain('391');
  });
});

describe('an answer from what was said', () => {
  const history = [
    user('My name is Grace. I keep my bike in the cellar.'),
    assistant('Nice to meet you, Grace.'),
    user('Where is the harbour office?'),
    assistant('I do not know.'),
  ];

  test.each([
    ['What is my name?', 'Your name is Grace.'],
    ['Who am I?', 'Your name is Grace.'],
    ["What's my name?", 'Your name is Grace.'],
    ['Do you remember my name?', 'Your name is Grace.'],
    ['Where did I say my bike is?', 'You told me: "I keep my bike in the cellar."'],
  ])('%s', (question, answer) => {
    expect(answerTo(...history, user(question))).toBe(answer);
  });

  test('takes the latest of what contradicts itself', () => {
    expect(answerTo(...history, user('Call me Rear Admiral. What is my name?'))).toContain(
      'Your name is Rear Admiral.',
    );
    expect(answerTo(...history, user('No, my name is Ada.'), user('What is my name?'))).toBe('Your name is Ada.');
  });

  test('says that it knows nothing where nothing was said', () => {
    const answer = answerTo(...history, user('What is the name of my cat?'));
    expect(answer).toContain('Nothing that I was given');
    expect(answer).not.toContain('bike');
  });

  test('ignores scripts in what was said', () => {
    expect(
      answerTo(user('My car is red. ```script [{"text":"My car is green."}] ``` What colour is my car?')),
    ).toContain('Your car is red.');
  });
});

describe('any other answer', () => {
  test('says that this is a stand-in, about what, and how to get a real one', () => {
    const answer = answerTo(user('Write a poem about the sea.'));
    expect(answer).toContain('"Write a poem about the sea."');
    expect(answer).toContain("Millrace's development stand-in, not a language model");
    expect(answer).toContain('OPENAI_API_KEY');
  });

  test('keeps its echo short', () => {
    expect(answerTo(user(`Explain ${'very '.repeat(500)}long things`)).length).toBeLessThan(300);
  });

  test('greets, notes what is stated, and says something to nothing', () => {
    expect(answerTo(user('Hello!'))).toMatch(/^Hello\. I am Millrace/);
    expect(answerTo(user('I parked on level 3.'))).toBe('Noted: "I parked on level 3."');
    expect(answerTo(user('I live in Oslo.'))).toBe('Noted: you live in Oslo.');
    expect(answerTo(user(''))).toContain('development stand-in');
    expect(answerTo(system('Be nice.'))).toContain('development stand-in');
  });

  test('does not repeat itself as often as the user does', () => {
    expect(answerTo(user('My name is Ada. '.repeat(1_000)))).toBe('Nice to meet you, Ada.');
    expect(answerTo(user('Who am I? '.repeat(1_000))).length).toBeLessThan(300);
  });

  test('says that it lacks a tool rather than guess', () => {
    const { text, toolCalls } = standInReply(conversation([user('What is 17 * 23?')], { tools: [] }));
    expect(toolCalls).toEqual([]);
    expect(text).toContain('takes a tool that I was not offered');
    expect(text).not.toContain('391');
  });

  test('is the same for the same call', () => {
    const turns = [system('Working memory:\nname: Ada'), user('Who am I, and what about the sea?')];
    expect(answerTo(...turns)).toBe(answerTo(...turns));
  });
});
