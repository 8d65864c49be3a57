// Defines the answer of the verb `status`: the orchestrator that answers, and the streams of the server with their
// limits.
import { z } from 'zod';
import { tokenSchema } from '../base/tokens.ts';

const count = z.number().int().min(0);

export const streamStatusSchema = z.object({
  name: z.string(),
  messages: count,
  bytes: count,
  maxBytes: count.optional().describe('absent: no limit'),
});
export type StreamStatus = z.infer<typeof streamStatusSchema>;

export const statusAnswerSchema = z.object({
  orchestrator: tokenSchema.describe('id of the process that answers'),
  version: z.string(),
  protocol: z.number().int().describe('of the wire'),
  at: z.string().describe('the time of its machine, ISO 8601'),
  problem: z.string().optional().describe('why the streams do not accept writes'),
  streams: z.array(streamStatusSchema),
  storage: z.object({ usedBytes: count, maxBytes: count.optional() }).describe('of the account of NATS'),
});
export type StatusAnswer = z.infer<typeof statusAnswerSchema>;
