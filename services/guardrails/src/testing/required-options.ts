// The options without which a processor of this service cannot be made, so that a test can make each of them.
import type { JsonObject } from '@millrace/contracts';

const REQUIRED: Record<string, JsonObject> = {
  'cost-guard': { maxCost: 1 },
  keyword: { keywords: ['x'] },
  moderation: { mode: 'words' },
  'regex-filter': { presets: ['email'] },
  'structured-output': { schema: { type: 'object' } },
  'token-limiter': { limit: 100 },
};

export const requiredOptions = (processorId: string): JsonObject => REQUIRED[processorId] ?? {};
