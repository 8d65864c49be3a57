import { expect, test } from 'vitest';
import { checksumInFile, digestInRelease } from './release-archive.ts';

const hex = 'a'.repeat(63) + 'B';

test('reads what sha256sum prints, in text and in binary mode, with either line break', () => {
  const lower = hex.toLowerCase();
  expect(checksumInFile(`${hex}  a.tar.gz\n`, 'a.tar.gz')).toBe(lower);
  expect(checksumInFile(`${hex} *a.tar.gz\r\n`, 'a.tar.gz')).toBe(lower);
});

test('takes the line of the very file', () => {
  expect(checksumInFile(`${hex}  xa.tar.gz\n${hex}  a.tar.gz.sig\n`, 'a.tar.gz')).toBeUndefined();
  expect(checksumInFile('not-a-checksum  a.tar.gz\n', 'a.tar.gz')).toBeUndefined();
  expect(checksumInFile('<html>sign in</html>', 'a.tar.gz')).toBeUndefined();
});

test('reads the digest that GitHub states for an asset', () => {
  const answer = JSON.stringify({
    assets: [
      { name: 'b', digest: null },
      { name: 'a', digest: `sha256:${hex}` },
    ],
  });
  expect(digestInRelease(answer, 'a')).toBe(hex.toLowerCase());
});

test.each(['', '{}', '{"assets":{}}', '{"assets":[null,{"name":"a"}]}', '{"assets":[{"name":"a","digest":"md5:00"}]}'])(
  'finds no digest in %j',
  (answer) => {
    expect(digestInRelease(answer, 'a')).toBeUndefined();
  },
);
