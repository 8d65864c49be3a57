// The service's part of the environment.
import { modelIdSchema } from '@millrace/contracts';
import { z } from 'zod';

export const configSchema = z
  .object({
    REDIS_URL: z
      .string()
      .regex(/^rediss?:\/\//, 'must begin with redis:// or rediss://')
      .optional()
      .describe('where memories are kept; absent: in the embedded store, which serves one machine'),
    SQLITE_PATH: z.string().default('.millrace/working-memory.db').describe('a file, made where it is not there'),
    REQUIRE_SHARED_STORE: z
      .stringbool()
      .default(false)
      .describe('replicas run on several machines: refuse to start on the embedded store'),
    OPENAI_API_KEY: z.string().optional(),
    OPENAI_BASE_URL: z.url().optional().describe('a compatible server; absent: OpenAI'),
    MODEL: modelIdSchema.default('openai/gpt-5-mini').describe('extracts, where an agent’s options name no other'),
  })
  .refine((config) => !config.REQUIRE_SHARED_STORE || config.REDIS_URL !== undefined, {
    path: ['REDIS_URL'],
    message: 'is needed: REQUIRE_SHARED_STORE asks for a store that several machines share, and SQLite serves one',
  });
export type Config = z.output<typeof configSchema>;
