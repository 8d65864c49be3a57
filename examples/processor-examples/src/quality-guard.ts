// A guard that asks again: an answer that is not good enough is rejected with what is wrong, at most so often, then the run is stopped.
import { defineProcessor } from '@millrace/processor';
import { z } from 'zod';

const options = z.strictObject({
  minScore: z.number().min(0).max(1).default(0.7).describe('0 to 1: half for length, half for what it speaks of'),
  maxRetries: z.int().min(0).default(3).describe('how often it asks again'),
  words: z.int().min(1).default(20).describe('an answer of so many words is long enough'),
  topics: z.array(z.string().min(1)).default([]).describe('what it should speak of'),
});

export const qualityGuard = defineProcessor({
  id: 'quality-guard',
  description: 'Asks again for answers that are too short or beside the point.',
  stages: ['processOutputStep'],
  reads: [],
  options,
  create: ({ minScore, maxRetries, ...wanted }) => ({
    processOutputStep({ text, toolCalls, abort, retryCount }) {
      // The answer is still to come.
      if (toolCalls.length > 0) return;
      const score = scoreOf(text, wanted);
      if (score >= minScore) return;
      const metadata = { qualityScore: Number(score.toFixed(2)) };
      if (retryCount >= maxRetries) abort('Response quality too low after multiple attempts.', { metadata });
      abort('Response quality too low. Please provide more detail.', { retry: true, metadata });
    },
  }),
});

/** 0 to 1: half of it for length, half for what it speaks of. */
function scoreOf(text: string, { words, topics }: { words: number; topics: string[] }): number {
  const length = Math.min(1, text.split(/\s+/).filter((word) => word !== '').length / words);
  const named = topics.filter((topic) => text.toLowerCase().includes(topic.toLowerCase()));
  return topics.length === 0 ? length : (length + named.length / topics.length) / 2;
}
