// The service's part of the environment.
import { modelIdSchema } from '@millrace/contracts';
import { sharedStoreSchema } from '@millrace/stores';
import { z } from 'zod';

const modelsSchema = z.object({
  OPENAI_API_KEY: z.string().optional(),
  OPENAI_BASE_URL: z.url().optional().describe('a compatible server; absent: OpenAI'),
  MODEL: modelIdSchema.default('openai/gpt-5-mini').describe('extracts, where an agent’s options name no other'),
});

export const configSchema = z.intersection(sharedStoreSchema('REDIS_URL', 'working-memory'), modelsSchema);
export type Config = z.output<typeof configSchema>;
