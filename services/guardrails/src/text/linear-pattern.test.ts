import { expect, test } from 'vitest';
import { compilePattern, weighPatterns } from './linear-pattern.ts';

const weigh = (...sources: string[]) => weighPatterns(sources.map(compilePattern));

test.each(['nightingale', 'key-\\d+', '[a-z]+@[a-z]+\\.[a-z]{2,8}', 'https?://\\S+', '(?:\\w+\\s+){2}\\w+'])(
  'the ordinary pattern %s has an ordinary weight',
  (source) => expect(weigh(source)).toBeLessThanOrEqual(4),
);

test.each(['x.*y|x', 'x[^y]*y|x', '(?:x.*){5}y|x', '(?:x|xx|xxx)*z|x'])(
  'the small pattern %s, which reads to the end of a stretch at each match, weighs more than its size',
  (source) => expect(weigh(source)).toBeGreaterThan(1),
);

test('a second heavy pattern does not lower the weight', () => {
  expect(weigh('x.*y|x', 'z.*y|z')).toBeGreaterThanOrEqual(weigh('x.*y|x'));
});
