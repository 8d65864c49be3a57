import { describe, expect, test } from 'vitest';
import { digestAnswers } from './read-answers.ts';

describe('the digest of the answers of a look', () => {
  const [one, other] = [Buffer.from('one'), Buffer.from('other')];

  test('is the same for the same answers in any order', () => {
    expect(digestAnswers([one, other])).toBe(digestAnswers([other, one]));
  });

  test('differs if an answer is added, leaves, changes or arrives twice', () => {
    const looks = [[], [one], [other], [one, other], [one, one], [one, Buffer.from('changed')]];
    expect(new Set(looks.map(digestAnswers)).size).toBe(looks.length);
  });
});
