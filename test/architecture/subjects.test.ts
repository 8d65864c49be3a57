// Defines the spelling of a subject. subjects.tree.test.ts checks the sources.
import { describe, expect, test } from 'vitest';
import { hasSubjectLiteral } from './subject-literals.ts';

describe('subject literals', () => {
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
  ])('the check reports the subject %s', (text) => {
    expect(hasSubjectLiteral(text)).toBe(true);
  });

  test.each(['tool', 'a tool. Then', 'events.ts', './stage.ts', 'log.level', 'tool-failed', '${}.json'])(
    'the check ignores %s',
    (text) => {
      expect(hasSubjectLiteral(text)).toBe(false);
    },
  );
});
