// API keys: the providers' own formats, and what stands after the words "api key". Private keys, bearer tokens and passwords are the
// `secrets` processor's.
import { providerKeys } from '../../secrets/provider-keys.ts';
import type { Detector, PiiHit } from '../pii-types.ts';

const named =
  /(?<![a-z])(?:api|access|secret|auth)[ _-]?(?:key|token|secret)(?:["'\s]|is|was|[:=>]){0,40}([A-Za-z0-9_.~+/-]{16,240})/gi;

export const apiKey: Detector = {
  type: 'api-key',
  detect: ({ text }) => [
    ...providerKeys(text).map(({ start, end }) => ({ type: 'api-key' as const, start, end })),
    ...namedKeys(text),
  ],
};

function namedKeys(text: string): PiiHit[] {
  return [...text.matchAll(named)].flatMap((match) => {
    const key = match[1] ?? '';
    const end = match.index + match[0].length;
    if (!/\d/.test(key)) return [];
    return [{ type: 'api-key' as const, start: end - key.length, end, contextStart: match.index }];
  });
}
