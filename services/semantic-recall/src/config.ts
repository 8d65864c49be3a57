// The service's part of the environment.
import { sharedStoreSchema } from '@millrace/stores';
import { z } from 'zod';

const embedderSchema = z.object({
  QDRANT_API_KEY: z.string().optional(),
  OPENAI_API_KEY: z.string().optional(),
  OPENAI_BASE_URL: z.url().optional().describe('a compatible server; absent: OpenAI'),
  EMBEDDING_MODEL: z
    .string()
    .regex(/^openai\/.+$/, 'must be "openai/<id>"')
    .default('openai/text-embedding-3-small'),
});

export const configSchema = z.intersection(sharedStoreSchema('QDRANT_URL', 'semantic-recall'), embedderSchema);
export type Config = z.output<typeof configSchema>;
