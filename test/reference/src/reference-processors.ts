// The compared processors of the reference, and classes against its types: one table for its process and for ours.
import {
  BatchPartsProcessor,
  PIIDetector,
  RegexFilterProcessor,
  TokenLimiterProcessor,
  ToolCallFilter,
  UnicodeNormalizer,
  type Processor,
} from '@mastra/core/processors';
import { createOpenAI } from '@ai-sdk/openai';
import { Keeper, Longer, Stopword, FailingSwallower } from './own-processors.ts';

export type Options = Record<string, unknown>;
/** Unvalidated options: each class rejects invalid ones. */
type Make = (options: never) => Processor;

const { GUARD_URL = 'http://127.0.0.1:1/v1' } = process.env;
const model = createOpenAI({ apiKey: 'stand-in', baseURL: GUARD_URL }).chat('stand-in') as never;

export const THEIRS: Readonly<Record<string, Make>> = {
  'their-normalizer': (options) => new UnicodeNormalizer(options),
  'their-regex': (options: Options) => new RegexFilterProcessor({ presets: ['pii'], ...options }),
  'their-limiter': (options: Options) => new TokenLimiterProcessor({ limit: 1_000_000, ...options }),
  'their-tool-filter': (options) => new ToolCallFilter(options),
  'their-batches': (options) => new BatchPartsProcessor(options),
  'their-pii': (options: Options) => new PIIDetector({ model, ...options }),
  'own-stopword': (options) => new Stopword(options),
  'own-longer': (options) => new Longer(options),
  'own-keeper': () => new Keeper(),
  'own-swallower': () => new FailingSwallower(),
};

export function makeTheirs(name: string, options: Options): Processor {
  const make = THEIRS[name];
  if (!make) throw new Error(`there is no processor ${name}`);
  return make(options as never);
}
