// What counts as a subject spelt out. That no source does it: subjects.tree.test.ts.
import { describe, expect, test } from 'vitest';
import { spellsSubject } from './subject-literals.ts';

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
