// One file spells the subjects. Tests spell them on purpose, so that a changed subject fails a test.
import { expect, test } from 'vitest';
import { isTestPath } from './import-problems.ts';
import { readFacts } from './source-facts.ts';
import { hasSubjectLiteral } from './subject-literals.ts';
import { readSources } from './workspace.ts';

test('no source outside of the contracts spells a subject', () => {
  const others = readSources().filter(({ path }) => /^(shared|services|deploy)\/(?!contracts\/)/.test(path));
  const found = others
    .filter(({ path }) => !isTestPath(path))
    .flatMap(({ path, text }) =>
      readFacts(path, text)
        .strings.filter(hasSubjectLiteral)
        .map((literal) => `${path}: ${literal}`),
    );
  expect(others.length).toBeGreaterThan(100);
  expect(found).toEqual([]);
});
