// Dates of birth: a date within BIRTH_WINDOW after a birth word. A date without one is not personal.
import { BIRTH_WINDOW, birthWords } from '../context-words.ts';
import { findPattern, type Detector } from '../pii-types.ts';

const months =
  'jan(?:uary|uar|vier)?|feb(?:ruary|ruar)?|f[eé]vrier|mar(?:ch|s)?|m[aä]rz|apr(?:il)?|avril|ma[iy]|june?|juni|juin|july?|juli|juillet|' +
  'aug(?:ust)?|ao[uû]t|sep(?:t(?:ember|embre)?)?|o[ck]t(?:ober|obre)?|nov(?:ember|embre)?|de[cz](?:ember)?|d[eé]cembre';
const day = String.raw`\d{1,2}(?:st|nd|rd|th|\.)?`;
const year = String.raw`(?:\d{4}|\d{2})`;
const dates = new RegExp(
  [
    String.raw`(?<!\d)\d{4}\s?[-./]\s?\d{1,2}\s?[-./]\s?\d{1,2}(?!\d)`,
    String.raw`(?<!\d)\d{1,2}\s?[-./ ]\s?\d{1,2}\s?[-./ ]\s?${year}(?!\d)`,
    String.raw`(?<!\d)${day}[\s-]{1,2}(?:of\s)?(?:${months})\b[.,]?[\s-]{1,2}${year}(?!\d)`,
    String.raw`\b(?:${months})\b\.?\s${day},?\s{1,2}${year}(?!\d)`,
  ].join('|'),
  'giu',
);
/** Matches in "born in Rome. The", not in "born 3. March" or "born Jan. 3". */
const sentenceEnd = /(?<=[a-z]{2}[.!?])\s+(?=[A-Z])/;

export const dateOfBirth: Detector = {
  type: 'date-of-birth',
  detect: ({ text }) =>
    [...text.matchAll(birthWords)].flatMap((word) => {
      const from = word.index + word[0].length;
      const [sentence = ''] = text.slice(from, from + BIRTH_WINDOW).split(sentenceEnd);
      return findPattern('date-of-birth', sentence, dates).map((hit) => ({
        ...hit,
        start: hit.start + from,
        end: hit.end + from,
        contextStart: word.index,
      }));
    }),
};
