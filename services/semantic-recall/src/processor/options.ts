// The options of semantic recall.
import { z } from 'zod';

const surrounding = z.number().int().min(0).max(20);

export const optionsSchema = z.strictObject({
  topK: z.number().int().min(1).max(100).default(4).describe('how many messages are recalled by meaning'),
  messageRange: z
    .union([surrounding, z.strictObject({ before: surrounding, after: surrounding })])
    .default(1)
    .describe('how many of the messages before and after each of them are recalled with it'),
  threshold: z
    .number()
    .min(-1)
    .max(1)
    .optional()
    .describe('the least cosine similarity that counts; none if absent. What is a good one depends on the embedder'),
  scope: z
    .enum(['resource', 'thread'])
    .default('resource')
    .describe('whether messages of all threads of the resource are recalled, or of this thread only'),
});
export type Options = z.output<typeof optionsSchema>;

export function rangeOf({ messageRange }: Options): { before: number; after: number } {
  return typeof messageRange === 'number' ? { before: messageRange, after: messageRange } : messageRange;
}
