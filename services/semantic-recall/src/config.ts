// The service's part of the environment.
import { z } from 'zod';

export const configSchema = z
  .object({
    QDRANT_URL: z
      .string()
      .regex(/^https?:\/\//, 'must begin with http:// or https://')
      .optional()
      .describe('where vectors are kept; absent: in the embedded store, which serves one machine'),
    QDRANT_API_KEY: z.string().optional(),
    SQLITE_PATH: z.string().default('.millrace/semantic-recall.db').describe('a file, made where it is not there'),
    REQUIRE_SHARED_STORE: z
      .stringbool()
      .default(false)
      .describe('replicas run on several machines: refuse to start on the embedded store'),
    OPENAI_API_KEY: z.string().optional(),
    OPENAI_BASE_URL: z.url().optional().describe('a compatible server; absent: OpenAI'),
    EMBEDDING_MODEL: z
      .string()
      .regex(/^openai\/.+$/, 'must be "openai/<id>"')
      .default('openai/text-embedding-3-small'),
  })
  .refine((config) => !config.REQUIRE_SHARED_STORE || config.QDRANT_URL !== undefined, {
    path: ['QDRANT_URL'],
    message: 'is needed: REQUIRE_SHARED_STORE asks for a store that several machines share, and SQLite serves one',
  });
export type Config = z.output<typeof configSchema>;
