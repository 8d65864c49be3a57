// Filters both sides of the model: stops an input with a blocked word before the model call, and an answer before the
// word is published. A word may be split over chunks, so the end of a text that may start one is held back.
import type { JsonObject } from '@millrace/contracts';
import { defineProcessor, holdBack, listStrings } from '@millrace/processor';
import { z } from 'zod';

export const contentFilter = defineProcessor({
  id: 'content-filter',
  description: 'Stops inputs and answers that hold a blocked word.',
  stages: ['processInput', 'processOutputStream'],
  reads: ['input'],
  options: z.strictObject({
    blockedWords: z.array(z.string().min(1)).default([]).describe('blocked words, in any letter case'),
  }),
  create({ blockedWords }) {
    const words = blockedWords.map((word) => word.toLowerCase());
    const findWord = (text: string) => words.find((word) => text.toLowerCase().includes(word));
    return {
      processInput({ messages, abort, onViolation }) {
        const texts = messages.flatMap(({ content }) => listStrings(JSON.parse(JSON.stringify(content))));
        if (texts.every((text) => findWord(text) === undefined)) return;
        onViolation({ message: 'a blocked word in the input', rule: 'blocked-word' });
        abort('Blocked content detected in input');
      },
      processOutputStream({ part, state, abort, onViolation }) {
        const apply = (text: string): string => {
          if (findWord(text) === undefined) return text;
          onViolation({ message: 'a blocked word in the answer', rule: 'blocked-word' });
          return abort('Blocked content detected in output');
        };
        state['held'] ??= {};
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written here alone
        return holdBack(part, state['held'] as JsonObject, {
          countSettled: (text) => countSettled(text.toLowerCase(), words),
          apply,
        });
      },
    };
  },
});

/**
 * Returns the length without the longest suffix that starts a blocked word; 0 if the text contains a whole one, which
 * stops.
 */
function countSettled(text: string, words: readonly string[]): number {
  if (words.some((word) => text.includes(word))) return text.length;
  const ends = words.map((word) => {
    let length = Math.min(word.length - 1, text.length);
    while (length > 0 && !text.endsWith(word.slice(0, length))) length -= 1;
    return length;
  });
  return text.length - Math.max(0, ...ends);
}
