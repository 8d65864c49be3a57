// Members that scripts and verdicts share: an error instead of an answer, and a delay before it.
import { z } from 'zod';
import type { ReplyFailure } from '../reply.ts';

export const maxDelayMs = 60_000;

export const scriptedErrorSchema = z.strictObject({
  status: z.int().min(400).max(599).default(500),
  message: z.string().default('This error was scripted.'),
  retryAfterSeconds: z.number().min(0).optional(),
});

export const toFailure = ({
  status,
  message,
  retryAfterSeconds,
}: z.infer<typeof scriptedErrorSchema>): ReplyFailure => ({
  status,
  message,
  retryAfterSeconds,
});
