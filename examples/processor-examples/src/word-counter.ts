// Counts words over a whole stream in its state, and reports the number at the end in a custom chunk. A word that is
// split over chunks counts at its start.
import { defineProcessor } from '@millrace/processor';
import { z } from 'zod';

const countSchema = z.object({ words: z.int(), inWord: z.boolean() });

export const wordCounter = defineProcessor({
  id: 'word-counter',
  description: 'Counts the words of an answer.',
  stages: ['processOutputStream'],
  reads: [],
  options: z.strictObject({}),
  create: () => ({
    async processOutputStream({ part, state, writer }) {
      // Empty at first; the same in all steps of the run.
      const count = countSchema.safeParse(state['count']).data ?? { words: 0, inWord: false };
      if (part.type === 'text-delta') {
        const { text } = part.payload;
        const begun = text.split(/\s+/).filter((word) => word !== '').length;
        const goesOn = count.inWord && /^\S/.test(text) ? 1 : 0;
        state['count'] = { words: count.words + begun - goesOn, inWord: text === '' ? count.inWord : /\S$/.test(text) };
      }
      if (part.type === 'text-end') state['count'] = { ...count, inWord: false };
      if (part.type === 'finish') await writer.custom({ type: 'data-word-count', data: { words: count.words } });
      return part;
    },
  }),
});
