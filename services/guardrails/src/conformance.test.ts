// Every guard keeps what every processor promises; texts are streamed whole and in pieces.
import { processorConformance } from '@millrace/testkit';
import { contentLength } from './content-length/content-length.ts';
import { keyword } from './keyword/keyword.ts';
import { pii } from './pii/pii.ts';
import { promptInjection } from './prompt-injection/prompt-injection.ts';
import { tokenLimiter } from './token-limiter/token-limiter.ts';
import { unicodeNormalizer } from './unicode-normalizer/unicode-normalizer.ts';

const texts = ['Write to ada@example.com, card 4111 1111 1111 1111.', 'nothing to see', ''];

processorConformance(unicodeNormalizer, { options: [{}, { stripControlChars: true }] });
processorConformance(promptInjection, { options: [{}, { strategy: 'rewrite' }] });
processorConformance(pii, { options: [{}, { strategy: 'warn' }], texts });
processorConformance(keyword, { options: [{ keywords: ['nightingale'], strategy: 'redact' }], texts });
processorConformance(contentLength, { options: [{ maxOutput: 10_000 }] });
processorConformance(tokenLimiter, { options: [{ limit: 4 }, { limit: 1_000, strategy: 'abort' }], texts });
