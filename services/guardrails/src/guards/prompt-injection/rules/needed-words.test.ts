// Tests that a rule is skipped only at places at which it cannot match, on texts of the rules' own words.
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createLexicon } from '../lexicon/lexicon.ts';
import { VOCABULARIES } from '../lexicon/lexicon-files.ts';
import { readBackwards, readLetterRun, readLetters } from '../readings/letters-reading.ts';
import type { RuleReading } from '../readings/reading.ts';
import { scanText } from '../../../text/views/scanned-text.ts';
import { readWords } from '../readings/words-reading.ts';
import { createChoiceSets } from './choice-sets.ts';
import { compileRule, createMatcher } from './match-rules.ts';
import { createNeedChoice } from './needed-words.ts';
import { ALL_RULES } from './rule-files.ts';
import { listLiterals, readChoice, readPhrase } from './rule.ts';

const lexicon = createLexicon(VOCABULARIES, listLiterals(ALL_RULES));
const sets = createChoiceSets();
const compiled = ALL_RULES.flatMap((rule) => compileRule(rule, lexicon, sets));
const chooseNeeds = createNeedChoice(lexicon, sets);
const skipping = createMatcher(
  compiled.map((rule) => ({ ...rule, needs: chooseNeeds(rule.needs) })),
  lexicon,
  sets,
);
const trying = createMatcher(
  compiled.map((rule) => ({ ...rule, needs: [] })),
  lexicon,
  sets,
);

const classWords = new Map<string, string[]>();
for (const vocabulary of VOCABULARIES)
  for (const [name, words] of Object.entries(vocabulary))
    classWords.set(name, [...(classWords.get(name) ?? []), ...words.split(' ')]);

const listWords = (choice: string): readonly string[] =>
  choice.startsWith('@') ? (classWords.get(choice.slice(1)) ?? []) : [choice];
const sayChoice = (choices: readonly string[]): fc.Arbitrary<string> =>
  fc.constantFrom(...choices.flatMap(listWords)).map((word) => word.replace('*', 's').replaceAll('_', ' '));
const filler = fc.array(fc.constantFrom('the', 'of', 'a', 'to', 'lighthouse', 'not', 'not', 'река'), { maxLength: 5 });

/** Texts with the words of one rule, with other words between them and possibly without one of them. */
const inLetters = ALL_RULES.filter(({ inLetters: isInLetters }) => isInLetters);
const ruleText = fc.constantFrom(...ALL_RULES, ...inLetters, ...inLetters, ...inLetters).chain((rule) => {
  const rows = (rule.phrases ?? []).map((phrase) => readPhrase(phrase).map(({ choices }) => choices));
  const row = fc.constantFrom(...rows, ...(rule.together ? [rule.together.map(readChoice)] : []));
  return row.chain((choices) =>
    fc.tuple(...choices.map((some) => fc.tuple(sayChoice(some), filler))).chain((words) =>
      fc
        .shuffledSubarray(words, { minLength: Math.max(1, words.length - 1) })
        .chain((some) => fc.constantFrom(words, words, some))
        .map((some) => some.flatMap(([word, others]) => [word, ...others]).join(' ')),
    ),
  );
});
const text = fc.array(ruleText, { minLength: 1, maxLength: 4 }).map((texts) => texts.join('. '));

const READINGS: Record<string, (text: string) => RuleReading> = {
  words: (some) => readWords(scanText(some), lexicon),
  letters: (some) => readLetters(readLetterRun(scanText(some)), lexicon),
  backwards: (some) => readBackwards(readLetterRun(scanText(Array.from(some).toReversed().join(''))), lexicon),
  guessed: (some) => readLetters(readLetterRun(scanText(some), true), lexicon, true),
};

describe('the words that a rule needs', () => {
  test.each(Object.keys(READINGS))('in a reading of %s skip no rule that matches', (name) => {
    let matches = 0;
    fc.assert(
      fc.property(text, (some) => {
        const reading = READINGS[name]?.(some);
        if (!reading) throw new Error(`There is no reading of ${name}.`);
        const found = skipping(reading, true);
        expect(found).toEqual(trying(reading, true));
        matches += found.length;
      }),
      { seed: 7, numRuns: 1_000 },
    );
    expect(matches).toBeGreaterThan(20);
  });
});
