// Subjects are spelt in one file. Tests spell them out on purpose, so that a changed subject fails one.
import { describe, expect, test } from 'vitest';
import { isTestPath } from './import-problems.ts';
import { readFacts } from './source-facts.ts';
import { spellsSubject } from './subject-literals.ts';
import { readSources } from './workspace.ts';

describe('a literal', () => {
  test.each([
    'mr.v1',
    'mr.v1.tool.clock',
    'under mr.v2.>',
    'stage.processInput.pii',
    'stage.*.pii',
    'events.>',
    'tool.${}',
    '${}.tool.${}',
    '${}.tool.clock',
    '${}.runs.*',
    'head.${}.${}',
  ])('that spells a subject is found: %s', (text) => {
    expect(spellsSubject(text)).toBe(true);
  });

  test.each(['tool', 'a tool. Then', 'events.ts', './stage.ts', 'log.level', 'tool-failed', '${}.json'])(
    'that does not is left alone: %s',
    (text) => {
      expect(spellsSubject(text)).toBe(false);
    },
  );
});

test('no source outside of the contracts spells a subject', () => {
  const others = readSources().filter(({ path }) => /^(shared|services|deploy)\/(?!contracts\/)/.test(path));
  const found = others
    .filter(({ path }) => !isTestPath(path))
    .flatMap(({ path, text }) =>
      readFacts(path, text)
        .strings.filter(spellsSubject)
        .map((literal) => `${path}: ${literal}`),
    );
  expect(others.length).toBeGreaterThan(100);
  expect(found).toEqual([]);
});
