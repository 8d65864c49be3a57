import { expect, test } from 'vitest';
import { parseSettings } from './setting-args.ts';

const parse = (given: Parameters<typeof parseSettings>[0]) => parseSettings(given, 'millrace run');

test('The options are the members of the request', () => {
  expect(parse({})).toEqual({});
  expect(
    parse({ schema: '{"type":"object"}', settings: '{"temperature":0}', 'tool-choice': 'look', release: 'step' }),
  ).toEqual({
    structuredOutput: { schema: { type: 'object' } },
    modelSettings: { temperature: 0 },
    toolChoice: { type: 'tool', toolName: 'look' },
    release: 'step',
  });
  expect(parse({ 'tool-choice': 'none' })).toEqual({ toolChoice: 'none' });
});

test.each([
  [{ schema: '{' }, '--schema takes JSON'],
  [{ schema: '[]' }, '--schema'],
  [{ settings: '{"temperature":-1}' }, '--settings.temperature'],
  [{ settings: '{"heat":1}' }, 'heat'],
  [{ release: 'later' }, '--release'],
  [{ 'tool-choice': 'a b' }, '--tool-choice'],
])('%j is refused by the name of the option', (given, message) => {
  expect(() => parse(given)).toThrow(message);
});
