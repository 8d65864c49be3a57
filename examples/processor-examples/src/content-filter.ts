// Both sides of the model: an input with a blocked word is stopped before the model is asked, an answer before the word is shown. A word
// may come in pieces, so the end of a text that may become one is held back until it is decided.
import type { JsonObject } from '@millrace/contracts';
import { defineProcessor, holdBack, stringsOf } from '@millrace/processor';
import { z } from 'zod';

export const contentFilter = defineProcessor({
  id: 'content-filter',
  description: 'Stops inputs and answers that hold a blocked word.',
  stages: ['processInput', 'processOutputStream'],
  reads: ['input'],
  options: z.strictObject({ blockedWords: z.array(z.string().min(1)).default([]).describe('in whatever letters') }),
  create({ blockedWords }) {
    const words = blockedWords.map((word) => word.toLowerCase());
    const found = (text: string) => words.find((word) => text.toLowerCase().includes(word));
    return {
      processInput({ messages, abort, onViolation }) {
        const texts = messages.flatMap(({ content }) => stringsOf(JSON.parse(JSON.stringify(content))));
        if (texts.every((text) => found(text) === undefined)) return;
        onViolation({ message: 'a blocked word in the input', rule: 'blocked-word' });
        abort('Blocked content detected in input');
      },
      processOutputStream({ part, state, abort, onViolation }) {
        const apply = (text: string): string => {
          if (found(text) === undefined) return text;
          onViolation({ message: 'a blocked word in the answer', rule: 'blocked-word' });
          return abort('Blocked content detected in output');
        };
        state['held'] ??= {};
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written here alone
        return holdBack(part, state['held'] as JsonObject, {
          settled: (text) => settled(text.toLowerCase(), words),
          apply,
        });
      },
    };
  },
});

/** All but the longest end of the text that a blocked word begins with; none of it where it holds a whole one, which stops. */
function settled(text: string, words: readonly string[]): number {
  if (words.some((word) => text.includes(word))) return text.length;
  const ends = words.map((word) => {
    let length = Math.min(word.length - 1, text.length);
    while (length > 0 && !text.endsWith(word.slice(0, length))) length -= 1;
    return length;
  });
  return text.length - Math.max(0, ...ends);
}
