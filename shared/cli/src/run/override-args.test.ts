import { describe, expect, test } from 'vitest';
import { parseOverrides } from './override-args.ts';

const parse = (given: Parameters<typeof parseOverrides>[0]) => parseOverrides(given, 'millrace run');

describe('overrides of the agent’s lists', () => {
  test.each([
    ['names', 'pii, secrets', ['pii', 'secrets']],
    ['one name', 'pii', ['pii']],
    [
      'JSON, with names and uses',
      '["pii", {"use": "keyword", "as": "mine", "options": {"keywords": ["a,b"]}}]',
      ['pii', { use: 'keyword', as: 'mine', options: { keywords: ['a,b'] } }],
    ],
    ['none', '[]', []],
  ])('An override list is parsed: %s', (_, text, list) => {
    expect(parse({ 'input-processors': text })).toEqual({ inputProcessors: list });
    expect(parse({ 'output-processors': text, 'error-processors': text })).toEqual({
      outputProcessors: list,
      errorProcessors: list,
    });
  });

  test.each([
    ['[{"use": "pii", "onFailure": "skip"}]', '--input-processors[0].onFailure is not a known field'],
    ['pii,', '--input-processors[1] must be'],
    ['[3]', '--input-processors[0] must be'],
    ['{"use": "pii"}', '--input-processors takes comma-separated names (pii,secrets), or a JSON array'],
    ['["pii"', 'or a JSON array: '],
    ['"pii"', 'or a JSON array'],
  ])('The override list %s is rejected with its position and the problem', (text, message) => {
    expect(() => parse({ 'input-processors': text })).toThrow(message);
  });
});

describe('an override of the agent’s retries', () => {
  test('The override of retries is a whole number, 0 included', () => {
    expect(parse({ 'max-processor-retries': '0' })).toEqual({ maxProcessorRetries: 0 });
    expect(parse({})).toEqual({});
  });

  test.each([
    ['-1', 'takes a whole number, not "-1"'],
    ['1.5', 'takes a whole number'],
    ['many', 'takes a whole number'],
    ['101', '--max-processor-retries must be at most 100'],
  ])('The override %s is rejected', (text, message) => {
    expect(() => parse({ 'max-processor-retries': text })).toThrow(message);
  });
});
