// The service's part of the environment.
import { sharedStoreSchema } from '@millrace/stores';
import type { z } from 'zod';

export const configSchema = sharedStoreSchema('REDIS_URL', 'message-history');
export type Config = z.output<typeof configSchema>;
