// docs/errors.md lists the error registry, all of it and nothing else.
import { ERROR_CODES } from '@millrace/contracts';
import { expect, test } from 'vitest';
import { read } from './workspace.ts';

test('docs/errors.md lists exactly the codes of the registry, in its order, with their meaning', () => {
  const rows = [...read('docs/errors.md').matchAll(/^\| `(.+?)` \| (.+) \|$/gm)].map(([, code, meaning]) => [
    code,
    meaning,
  ]);
  expect(rows).toEqual(Object.entries(ERROR_CODES));
});
