// The service's part of the environment: the provider whose models judge, which may be another one than the agents', so that a guard
// model can stand beside the service; and the Redis that some guards count and keep in.
import { z } from 'zod';

export const configSchema = z
  .object({
    OPENAI_API_KEY: z.string().optional(),
    OPENAI_BASE_URL: z.url().optional().describe('a compatible server; absent: OpenAI'),
    GUARD_API_KEY: z.string().optional().describe('the key of GUARD_BASE_URL'),
    GUARD_BASE_URL: z.url().optional().describe('a compatible server for what guards ask; absent: OPENAI_BASE_URL'),
    REDIS_URL: z
      .string()
      .regex(/^rediss?:\/\//, 'must begin with redis:// or rediss://')
      .optional()
      .describe('absent: what needs it fails by its policy'),
  })
  .transform((env) => ({
    // The agents' key is not for another server.
    apiKey: env.GUARD_BASE_URL === undefined ? (env.GUARD_API_KEY ?? env.OPENAI_API_KEY) : env.GUARD_API_KEY,
    baseUrl: env.GUARD_BASE_URL ?? env.OPENAI_BASE_URL,
    redisUrl: env.REDIS_URL,
  }));
