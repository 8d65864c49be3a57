import { describe, expect, test } from 'vitest';
import { createLexicon } from '../lexicon/lexicon.ts';
import { VOCABULARIES } from '../lexicon/lexicon-files.ts';
import { scanText } from '../../../text/views/scanned-text.ts';
import { readWords } from '../readings/words-reading.ts';
import { compileRules } from './match-rules.ts';
import { ALL_RULES, RULE_FILES } from './rule-files.ts';
import { listLiterals, WEIGHT_NAMES, WEIGHTS } from './rule.ts';

const lexicon = createLexicon(VOCABULARIES, listLiterals(ALL_RULES));

test('each weight has a name', () => expect(WEIGHT_NAMES).toEqual(Object.keys(WEIGHTS)));

describe.each([...RULE_FILES])('data/rules/%s.json', (_, { rules }) => {
  test.each(rules.map((rule, at) => [at, rule.id, rule] as const))(
    'rule %i (%s) matches its positive examples and no negative one',
    (_at, _id, rule) => {
      const match = compileRules([rule], lexicon);
      const isMatched = (text: string) => match(readWords(scanText(text), lexicon), rule.where === 'tool').length > 0;
      expect(rule.examples.matches.filter((text) => !isMatched(text))).toEqual([]);
      expect(rule.examples.ignores.filter(isMatched)).toEqual([]);
    },
  );
});
