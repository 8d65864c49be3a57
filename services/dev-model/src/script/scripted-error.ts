// What scripts and verdicts say alike: an error in the place of an answer, and a pause before it.
import { z } from 'zod';
import type { ReplyFailure } from '../reply.ts';

export const maxDelayMs = 60_000;

export const scriptedErrorSchema = z.strictObject({
  status: z.int().min(400).max(599).default(500),
  message: z.string().default('This error was scripted.'),
  retryAfterSeconds: z.number().min(0).optional(),
});

export const failureOf = ({
  status,
  message,
  retryAfterSeconds,
}: z.infer<typeof scriptedErrorSchema>): ReplyFailure => ({
  status,
  message,
  retryAfterSeconds,
});
