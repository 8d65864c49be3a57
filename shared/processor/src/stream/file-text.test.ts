import { expect, test } from 'vitest';
import { mapFileText } from './file-text.ts';

test('A file of megabytes of letters is read as base64, and a URL as its text', () => {
  const letters = 'A'.repeat(20_000_000);
  expect(mapFileText(letters, 'image/png', () => 'mapped')).toBe(letters);
  expect(mapFileText('https://example.com/a.png', 'image/png', (text) => `${text}?`)).toBe(
    'https://example.com/a.png?',
  );
});
