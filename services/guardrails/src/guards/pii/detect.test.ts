import { expect, test } from 'vitest';
import { DETECTORS } from './detect.ts';
import { preparePii } from './find-pii.ts';
import { piiOptions } from './pii-options.ts';
import { PII_TYPES } from './pii-types.ts';

test('each type has one detector', () => {
  expect(DETECTORS.map(({ type }) => type).sort()).toEqual([...PII_TYPES].sort());
});

test('a URL with credentials is one hit of that type, over the whole URL if URLs are detected', () => {
  const text = 'from https://robot:s3cr3t@files.example.org/in and https://example.org/out';
  const listRules = (types: string[]) =>
    preparePii(piiOptions.parse({ types }))([text]).map(([hits = []]) =>
      hits.map(({ rule, start, end }) => `${rule} ${text.slice(start, end)}`),
    );
  expect(listRules(['url', 'url-credentials'])).toEqual([
    ['url-credentials https://robot:s3cr3t@files.example.org/in', 'url https://example.org/out'],
  ]);
  expect(listRules(['url-credentials'])).toEqual([['url-credentials robot:s3cr3t@files.example.org']]);
});
