// The processors of this service. A new one is a folder beside these, its test, and a line here.
import type { ProcessorDefinition } from '@millrace/processor';
import { batchParts } from './batch-parts/batch-parts.ts';
import { contentLength } from './content-length/content-length.ts';
import { keyword } from './keyword/keyword.ts';
import { maxToolCalls } from './max-tool-calls/max-tool-calls.ts';
import { pii } from './pii/pii.ts';
import { promptInjection } from './prompt-injection/prompt-injection.ts';
import { tokenLimiter } from './token-limiter/token-limiter.ts';
import { toolAllowList } from './tool-allow-list/tool-allow-list.ts';
import { toolCallFilter } from './tool-call-filter/tool-call-filter.ts';
import { secrets } from './secrets/secrets.ts';
import { unicodeNormalizer } from './unicode-normalizer/unicode-normalizer.ts';

export const PROCESSORS: readonly ProcessorDefinition[] = [
  unicodeNormalizer,
  promptInjection,
  pii,
  secrets,
  keyword,
  contentLength,
  tokenLimiter,
  maxToolCalls,
  toolCallFilter,
  toolAllowList,
  batchParts,
];
