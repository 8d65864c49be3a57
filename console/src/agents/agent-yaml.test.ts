import { agentSchema } from '@millrace/contracts';
import { describe, expect, test } from 'vitest';
import { readDefinition, writeDefinition } from './agent-yaml.ts';

const TEXT = `name: demo
model: openai/gpt-5-mini
input:
  - pii
  - use: keyword
    options: { keywords: 7 }
`;
const locate = (path: string) => {
  const { from, to } = readDefinition(TEXT).locate({ path, message: 'x' });
  return TEXT.slice(from, to).trim();
};

describe('a definition in YAML', () => {
  test.each([
    ['input[1].options.keywords', '7'],
    ['input.1.options.keywords', '7'],
    ['input[1].options.missing', 'options'],
    ['input[0]', 'pii'],
    ['model', 'openai/gpt-5-mini'],
    ['nothing', TEXT.trim()],
    ['', TEXT.trim()],
  ])('The place of %s is %s', (path, expected) => {
    expect(locate(path)).toBe(expected);
  });

  test('A text that is no YAML has its problems with their places, and no definition', () => {
    const { definition, issues } = readDefinition('name: [a');
    expect(definition).toBeUndefined();
    expect(issues.length).toBeGreaterThan(0);
  });

  test('A definition that is written and read again is the same agent', () => {
    const agent = agentSchema.parse(readDefinition(TEXT.replace('7', '[x]')).definition);
    expect(agentSchema.parse(readDefinition(writeDefinition('demo', agent)).definition)).toEqual(agent);
  });

  test('A definition is written without defaults, and its lists as short as an author writes them', () => {
    const group = `{ parallel: [prompt-injection, { use: keyword, options: { keywords: [x] } }], overlap: model }`;
    const text = `name: demo\nmodel: openai/a\ntools: [calculator]\ninput: [pii, ${group}]\noutput: [pii]\nmaxSteps: 3\n`;
    const agent = agentSchema.parse(readDefinition(text).definition);
    expect(writeDefinition('demo', agent)).toBe(`name: demo
model: openai/a
tools: [calculator]
input:
  - pii
  - parallel:
      - prompt-injection
      - use: keyword
        options:
          keywords: [x]
    overlap: model
output: [pii]
maxSteps: 3
`);
  });

  test('Every default of the schema is left out', () => {
    const text = 'name: demo\nmodel: openai/a\n';
    expect(writeDefinition('demo', agentSchema.parse(readDefinition(text).definition))).toBe(text);
  });

  test('A new agent starts with a valid definition', () => {
    expect(agentSchema.parse(readDefinition(writeDefinition('new', undefined)).definition)).toMatchObject({
      name: 'new',
    });
  });
});
