import { expect, test } from 'vitest';
import { DETECTORS } from './detect.ts';
import { preparePii } from './find-pii.ts';
import { piiOptions } from './pii-options.ts';
import { PII_TYPES } from './pii-types.ts';

test('there is one detector for each type', () => {
  expect(DETECTORS.map(({ type }) => type).sort()).toEqual([...PII_TYPES].sort());
});

test('a URL with credentials in it is told of as such, as a whole where URLs are looked for', () => {
  const text = 'from https://robot:s3cr3t@files.example.org/in and https://example.org/out';
  const rulesOf = (types: string[]) =>
    preparePii(piiOptions.parse({ types }))([text]).map(([hits = []]) =>
      hits.map(({ rule, start, end }) => `${rule} ${text.slice(start, end)}`),
    );
  expect(rulesOf(['url', 'url-credentials'])).toEqual([
    ['url-credentials https://robot:s3cr3t@files.example.org/in', 'url https://example.org/out'],
  ]);
  expect(rulesOf(['url-credentials'])).toEqual([['url-credentials robot:s3cr3t@files.example.org']]);
});
