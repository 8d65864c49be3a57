// Requests a better answer: rejects an insufficient one with the reason, at most maxRetries times, then stops the run.
import { defineProcessor } from '@millrace/processor';
import { z } from 'zod';

const options = z.strictObject({
  minScore: z
    .number()
    .min(0)
    .max(1)
    .default(0.7)
    .describe('minimum score, 0 to 1: half for length, half for the topics'),
  maxRetries: z.int().min(0).default(3).describe('how often it asks again'),
  words: z.int().min(1).default(20).describe('an answer of so many words is long enough'),
  topics: z.array(z.string().min(1)).default([]).describe('topics that the answer should mention'),
});

export const qualityGuard = defineProcessor({
  id: 'quality-guard',
  description: 'Retries answers that are too short or off topic.',
  stages: ['processOutputStep'],
  reads: [],
  options,
  create: ({ minScore, maxRetries, ...wanted }) => ({
    processOutputStep({ text, toolCalls, abort, retryCount, maxProcessorRetries = Infinity }) {
      // The answer follows the tool calls.
      if (toolCalls.length > 0) return;
      const score = computeScore(text, wanted);
      if (score >= minScore) return;
      const metadata = { qualityScore: Number(score.toFixed(2)) };
      if (retryCount >= Math.min(maxRetries, maxProcessorRetries))
        abort('Response quality too low after multiple attempts.', { metadata });
      abort('Response quality too low. Please provide more detail.', { retry: true, metadata });
    },
  }),
});

/** Returns 0 to 1: half for length, half for the topics. */
function computeScore(text: string, { words, topics }: { words: number; topics: string[] }): number {
  const length = Math.min(1, text.split(/\s+/).filter((word) => word !== '').length / words);
  const named = topics.filter((topic) => text.toLowerCase().includes(topic.toLowerCase()));
  return topics.length === 0 ? length : (length + named.length / topics.length) / 2;
}
