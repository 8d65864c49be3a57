// Tests that segments hide nothing: hits in the whole text are hits in its segments too.
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { createPlainView } from '../../segments/plain-view.ts';
import { createDetect } from './detect.ts';
import { preparePii } from './find-pii.ts';
import { piiOptions } from './pii-options.ts';
import { PII_TYPES } from './pii-types.ts';
import { MAX_SEGMENT } from './pii-segments.ts';

const values = [
  ['ada@example.com', '4111 1111 1111 1111', '4111-1111-1111-1111', '123-45-6789', '123 45 6789', '+1 (555) 123-4567'],
  [
    '030 / 123456',
    '(030) 123456',
    '020 7946 0958',
    '192.168.0.1',
    'DE89 3704 0044 0532 0130 00',
    'GB29-NWBK-6016-1331-9268-19',
  ],
  ['postgres://a:b;c@host/x', 'https://u:{p},[q]@host', '2001:db8::1', 'sk-abcdefgh12345678', 'abcd1234efgh5678'],
  ['March 3, 1980', '3rd of March 1980', '03/04/1980', '123456789', '5551234567', '555-0199', '17'],
  ['"', ':', ',', '.', '(', ')', '-', '=', '\\n'],
].flat();
const words = [
  [
    'born on',
    'dob',
    'date of birth',
    'SSN',
    'social security',
    'call me at',
    'phone number',
    'AWS_SECRET_ACCESS_KEY',
    'api key is',
    'my card',
    'paid with visa',
    'sku',
    'order id',
  ],
  ['plain', 'words', 'is'],
].flat();
const gap = fc.constantFrom(' ', ' ', '  ', '\n', '": "');
const value = fc.tuple(fc.constantFrom(...values), fc.oneof(fc.constant(''), gap));
const word = fc.tuple(gap, fc.constantFrom(...words), gap);
const texts = fc
  .array(fc.oneof(value, word), { maxLength: 14 })
  .map((parts) => parts.flat().join(''))
  .filter((text) => text.length < MAX_SEGMENT);

test.each([false, true])('segments cover every hit of the whole text with strict: %j', (strict) => {
  const options = piiOptions.parse({ types: [...PII_TYPES], strict });
  const find = preparePii(options);
  fc.assert(
    fc.property(texts, (text) => {
      const covered = new Set<number>();
      for (const hit of find([text])[0]?.[0] ?? []) for (let at = hit.start; at < hit.end; at++) covered.add(at);
      const view = createPlainView(text);
      for (const hit of createDetect(options)
        .findHits(view.text)
        .map((found) => view.toSourceSpan(found))) {
        const missing = Array.from({ length: hit.end - hit.start }, (_, at) => hit.start + at).filter(
          (at) => !covered.has(at),
        );
        expect({ hit: text.slice(hit.start, hit.end), missing }).toEqual({
          hit: text.slice(hit.start, hit.end),
          missing: [],
        });
      }
    }),
    { seed: 7, numRuns: 1_000 },
  );
});
