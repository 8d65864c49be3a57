// Tests the search for the longest word, in both directions, against a comparison with all words.
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { createLetterTrie } from './letter-trie.ts';

const word = fc.string({ unit: fc.constantFrom('a', 'b'), minLength: 2, maxLength: 7 });

test('the search finds the longest word that starts at a place, or none', () => {
  let found = 0;
  fc.assert(
    fc.property(
      fc.array(word, { maxLength: 20 }),
      fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 30 }),
      (words, text) => {
        const trie = createLetterTrie({ keepsRuns: true });
        for (const [id, some] of words.entries()) trie.add(some, id);
        const letters = Uint8Array.from(text, (letter) => letter.charCodeAt(0) - 97);
        for (let at = 0; at < text.length; at++) {
          const longest = Math.max(0, ...words.filter((some) => text.startsWith(some, at)).map(({ length }) => length));
          const number = trie.getSearch()(letters, at, 1, letters.length - at);
          const turned = trie.getSearch()(letters.toReversed(), letters.length - 1 - at, -1, letters.length - at);
          expect(turned).toBe(number);
          expect(trie.words[number]?.length ?? 0).toBe(longest);
          expect(trie.getColumns().lengths[number]).toBe(longest);
          if (longest > 2) found += 1;
        }
      },
    ),
    { seed: 12, numRuns: 1_000 },
  );
  expect(found).toBeGreaterThan(200);
});
