import { MillraceError, type Issue } from '@millrace/contracts';
import { describe, expect, test } from 'vitest';
import { parseAgentFile, withPlaces } from './agent-file.ts';

const yaml = `# the demo
name: demo
model: \${MODEL:-openai/gpt-5-mini}
input:
  - unicode-normalizer
  - use: pii
    options:
      strategy: redact
defaults: &limits
  timeoutMs: 10
output: [ { use: keyword, <<: 1 }, *limits ]
`;
const parse = (text: string, env = {}) => parseAgentFile('demo.yaml', text, env);
const readIssues = (text: string, env = {}): Issue[] => {
  try {
    parse(text, env);
  } catch (error) {
    if (MillraceError.isInstance(error)) return error.issues ?? [];
    throw error;
  }
  throw new Error('the file was taken');
};

describe('positions in a file', () => {
  const { locate } = parse(yaml);
  test.each([
    ['name', 2, 1],
    ['input', 4, 1],
    ['input[0]', 5, 5],
    ['input[1]', 6, 5],
    ['input[1].use', 6, 5],
    ['input[1].options.strategy', 8, 7],
    ['output[0].use', 11, 13],
    ['output[1].timeoutMs', 10, 3],
  ])('The position of %s is its line and column', (path, line, column) =>
    expect(locate(path)).toEqual({ line, column }),
  );

  test.each([
    ['input[1].options.missing', 7, 5],
    ['input[9]', 4, 1],
    ['nowhere.at.all', 2, 1],
    ['', 2, 1],
  ])('A missing part has the position of its nearest parent: %j', (path, line, column) =>
    expect(locate(path)).toEqual({ line, column }),
  );

  test('Positions also apply to a JSON file, with tabs as indentation', () => {
    const file = parse('{\n\t"name": "demo",\n\t"input": ["a", {"use": "b"}]\n}');
    expect(file.definition).toEqual({ name: 'demo', input: ['a', { use: 'b' }] });
    expect(file.locate('input[1].use')).toEqual({ line: 3, column: 18 });
  });
});

describe('variables', () => {
  test('Variables are replaced from the environment, or by their default', () => {
    expect(parse(yaml, { MODEL: 'openai/x' }).definition).toMatchObject({ model: 'openai/x' });
    expect(parse(yaml, { MODEL: '' }).definition).toMatchObject({ model: 'openai/gpt-5-mini' });
    expect(parse('a: "${A}-${B:-}-$${C} $D"', { A: '1' }).definition).toEqual({ a: '1--${C} $D' });
  });

  test('Each missing variable is reported with its position', () => {
    const issues = readIssues('name: ${NAME}\ninput:\n  - use: ${GUARD}\n  - ${1x}\n');
    expect(issues.map(({ message, path }) => `${message} ${path}`)).toEqual([
      'demo.yaml:1:1: The variable NAME is not set. name',
      'demo.yaml:3:5: The variable GUARD is not set. input[0].use',
      'demo.yaml:4:5: ${1x} does not contain a variable name. input[1]',
    ]);
    expect(issues[0]?.remedy).toContain('${NAME:-value}');
  });

  test('The value of a variable is text and adds no structure', () => {
    expect(parse('a: ${A}', { A: '{b: [1]}\nname: x' }).definition).toEqual({ a: '{b: [1]}\nname: x' });
  });
});

describe('an invalid file', () => {
  test.each([
    ['wrong indentation', 'name: demo\ninput:\n  - a\n - b\n', /^demo\.yaml:4:\d+: /],
    ['an open quote', 'name: "demo\n', /^demo\.yaml:\d+:\d+: /],
    ['a key twice', 'name: a\nmodel: b\nname: c\n', /^demo\.yaml:3:1: .*unique/],
    ['two documents', 'name: a\n---\nname: b\n', /^demo\.yaml:2:1: /],
    ['an unknown tag', 'name: !secret a\n', /^demo\.yaml:1:7: /],
    ['nothing', '# only a comment\n', /empty/],
    ['an endless number', 'name: a\nmaxSteps: .inf\n', /^demo\.yaml:2:1: /],
    ['a part that contains itself', 'name: &a [*a]\n', /^demo\.yaml:1:/],
  ])('The file is rejected with its line: %s', (_, text, message) => {
    expect(readIssues(text)[0]?.message).toMatch(message);
  });

  test('Aliases that would exhaust the memory are rejected', () => {
    const levels = Array.from(
      { length: 12 },
      (_, n) => `l${n + 1}: &l${n + 1} [${Array(9).fill(`*l${n}`).join(', ')}]`,
    );
    expect(readIssues(['l0: &l0 x', ...levels].join('\n'))[0]?.message).toMatch(/alias/i);
  });
});

describe('a rejection by the orchestrator', () => {
  test('Each issue of the rejection receives its position in the file', () => {
    const error = new MillraceError('agent-invalid', 'refused', {
      issues: [
        { code: 'processor-unknown', message: 'No "pii".', path: 'input[1].use', remedy: 'Start it.' },
        { code: 'agent-invalid', message: 'No tools.', path: 'tools' },
      ],
    });
    const located = withPlaces(error, parse(yaml));
    expect(located).toMatchObject({
      code: 'agent-invalid',
      message: 'demo.yaml is refused: 2 problems.',
      cause: error,
    });
    expect(located.issues).toEqual([
      { code: 'processor-unknown', message: 'demo.yaml:6:5: No "pii".', path: 'input[1].use', remedy: 'Start it.' },
      { code: 'agent-invalid', message: 'demo.yaml:2:1: No tools.', path: 'tools' },
    ]);
  });
});
