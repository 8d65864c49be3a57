import { describe, expect, test } from 'vitest';
import { createJudge, judgeAlone } from '../judge-text.ts';
import { MENTION_FILES, countMentionWords } from '../mention-words.ts';
import { AIMS } from '../rules/rule.ts';
import { DEFAULT_THRESHOLD } from '../signals.ts';
import { LEXICON_FILES } from './lexicon-files.ts';

const judge = createJudge({ aims: AIMS, threshold: DEFAULT_THRESHOLD, phrases: [], patterns: [] });

describe.each([...LEXICON_FILES])('data/lexicon/%s.json', (_, { examples }) => {
  test.each(examples.attempts)('rule $rule finds the attack: $text', ({ text, rule }) => {
    expect(judgeAlone(judge, text, 'tool').signals.map((signal) => signal.rule)).toContain(rule);
  });
  test.each(examples.harmless)('the harmless text scores below the default threshold: %s', (text) => {
    expect(judgeAlone(judge, text, 'tool').score).toBeLessThan(DEFAULT_THRESHOLD);
  });
});

describe.each([...MENTION_FILES])('data/mentions/%s.json', (_, { examples }) => {
  test.each(examples.asks)('the file contains all words of the question: %s', (text) =>
    expect(countMentionWords(text)).toBeGreaterThan(0),
  );
  test.each(examples.orders)('the file lacks a word of the order: %s', (text) =>
    expect(countMentionWords(text)).toBeUndefined(),
  );
});
