import { describe, expect, test } from 'vitest';
import { compilePattern, weighPatterns, type MeasureFind } from './linear-pattern.ts';

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

describe('the probes of a pattern', () => {
  /** Counts the work of a search that reads to the end of the text at each match, and claims `msPerStep` for each step. */
  const countWork = (msPerStep: number) => {
    const work = { ms: 0 };
    const measure: MeasureFind = (_, text) => {
      const ms = text.length ** 2 * msPerStep;
      work.ms += ms;
      return ms;
    };
    return { work, measure };
  };
  const distinct = (count: number, name: string) => Array.from({ length: count }, (_, at) => compilePattern(name + at));

  test('find the slow text if a collection disturbs the short probes of another one', () => {
    const measure: MeasureFind = (_, text) => {
      const disturbedMs = text.length <= 32 && text.startsWith('0') ? 1 : 0;
      return text.startsWith('x') ? text.length ** 2 * 1e-4 : disturbedMs;
    };
    expect(weighPatterns([compilePattern('x.*q|x')], measure)).toBeGreaterThan(20);
  });

  test.each([1e-7, 1e-6, 1e-5, 5e-5, 1e-4, 2e-4, 1e-3, 1e-2])(
    'take bounded time if a step takes %s ms, and a slow pattern is recognized',
    (msPerStep) => {
      const { work, measure } = countWork(msPerStep);
      const weight = weighPatterns(distinct(1, `one-${msPerStep}-`), measure);
      expect(work.ms).toBeLessThan(300);
      expect(weight).toBeGreaterThanOrEqual(Math.min(24, (msPerStep * 512 ** 2) / 1.25));
    },
  );

  test.each([1e-7, 1e-6, 5e-6, 1e-5, 1e-4])(
    'of a thousand patterns take bounded time together if a step takes %s ms',
    (msPerStep) => {
      const { work, measure } = countWork(msPerStep);
      expect(weighPatterns(distinct(1_000, `many-${msPerStep}-`), measure)).toBeGreaterThanOrEqual(24);
      expect(work.ms).toBeLessThan(400);
    },
  );
});
