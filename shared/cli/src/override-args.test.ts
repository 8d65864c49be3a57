import { describe, expect, test } from 'vitest';
import { overridesOf } from './override-args.ts';

const of = (given: Parameters<typeof overridesOf>[0]) => overridesOf(given, 'millrace run');

describe('lists in place of the agent’s', () => {
  test.each([
    ['names', 'pii, secrets', ['pii', 'secrets']],
    ['one name', 'pii', ['pii']],
    [
      'JSON, with names and uses',
      '["pii", {"use": "keyword", "as": "mine", "options": {"keywords": ["a,b"]}}]',
      ['pii', { use: 'keyword', as: 'mine', options: { keywords: ['a,b'] } }],
    ],
    ['none', '[]', []],
  ])('are %s', (_, text, list) => {
    expect(of({ 'input-processors': text })).toEqual({ inputProcessors: list });
    expect(of({ 'output-processors': text, 'error-processors': text })).toEqual({
      outputProcessors: list,
      errorProcessors: list,
    });
  });

  test.each([
    ['[{"use": "pii", "onFailure": "skip"}]', '--input-processors[0].onFailure is no field that is known here'],
    ['pii,', '--input-processors[1] must be'],
    ['[3]', '--input-processors[0] must be'],
    ['{"use": "pii"}', '--input-processors takes names with commas between them (pii,secrets), or a JSON array'],
    ['["pii"', 'or a JSON array: '],
    ['"pii"', 'or a JSON array'],
  ])('%s is refused, with the place and what is wrong there', (text, message) => {
    expect(() => of({ 'input-processors': text })).toThrow(message);
  });
});

describe('retries in place of the agent’s', () => {
  test('are a whole number, none among them', () => {
    expect(of({ 'max-processor-retries': '0' })).toEqual({ maxProcessorRetries: 0 });
    expect(of({})).toEqual({});
  });

  test.each([
    ['-1', 'takes a whole number, not "-1"'],
    ['1.5', 'takes a whole number'],
    ['many', 'takes a whole number'],
    ['101', '--max-processor-retries must be at most 100'],
  ])('%s is refused', (text, message) => {
    expect(() => of({ 'max-processor-retries': text })).toThrow(message);
  });
});
