// docs/errors.md lists every code of the error registry and no other.
import { ERROR_CODES } from '@millrace/contracts';
import { expect, test } from 'vitest';
import { readTracked } from './workspace.ts';

test('docs/errors.md lists exactly the codes of the registry, in its order, with their meaning', () => {
  const rows = [...readTracked('docs/errors.md').matchAll(/^\| `(.+?)` \| (.+) \|$/gm)].map(([, code, meaning]) => [
    code,
    meaning,
  ]);
  expect(rows).toEqual(Object.entries(ERROR_CODES));
});
