import { describe, expect, test } from 'vitest';
import { messageWithTool } from '../testing/messages.ts';
import { listMessageTexts, listValueTexts, replaceValueTexts } from './value-texts.ts';

const refuse = (bound: string): never => {
  throw new Error(`refused: ${bound}`);
};

describe('texts of values', () => {
  test('strings, names and numbers are listed in order, at any depth', () => {
    expect(listValueTexts({ a: ['b', { c: 1 }], d: [true, null] }, refuse)).toEqual(['a', 'b', 'c', '1', 'd']);
    expect(listMessageTexts([messageWithTool('t', 'x', 'y')], refuse)).toEqual([['notes', 'x', 'y']]);
  });
  test('a replacement applies to strings, names and numbers, and an unchanged value stays the same object', () => {
    const value = { a: ['b', { c: 1 }] };
    expect(replaceValueTexts(value, (text) => text)).toBe(value);
    expect(replaceValueTexts(value, (text) => `${text}!`)).toEqual({ 'a!': ['b!', { 'c!': '1!' }] });
  });
  test.each([
    ['many texts', Array.from({ length: 600_000 }, (_, at) => at)],
    ['a long text', 'x'.repeat(4_194_304)],
  ])('%s above the bound are refused', (_, value) => {
    expect(() => listMessageTexts([messageWithTool('t', value, 1)], refuse)).toThrow('refused: characters');
    expect(() => listValueTexts(value, refuse)).toThrow('refused: characters');
  });
  test('the bound counts all messages together', () => {
    const messages = ['a', 'b'].map((id) => messageWithTool(id, 'x'.repeat(3_000_000), 1));
    expect(() => listMessageTexts(messages, refuse)).toThrow('refused: characters');
  });
});
