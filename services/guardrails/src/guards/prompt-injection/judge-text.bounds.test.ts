// Texts that keep the rules busy.
import { expect, test } from 'vitest';
import { measureCpuMs } from '../../testing/cpu-ms.ts';
import { createJudge, judgeAlone, type InjectionOptions } from './judge-text.ts';
import { AIMS } from './rules/rule.ts';

const options: InjectionOptions = { aims: AIMS, threshold: 0.7, phrases: [], patterns: [] };
const judge = createJudge(options);
const find = (text: string) => {
  const { score, signals } = judgeAlone(judge, text, 'user');
  return score >= 0.7 ? signals : [];
};

test('the first text of a process takes less than a second, because no pattern is slow to compile', () => {
  // Two bytes per character: the engine compiles patterns separately for such texts.
  expect(measureCpuMs(() => find('Ｗｈａｔ is the weather, and --how-- d o e s it look?'))).toBeLessThan(500);
  expect(measureCpuMs(() => find('What is the weather, and --how-- d o e s it look?'))).toBeLessThan(500);
});

test.each(['ignore ', 'ignore all ', 'system: ', '---- ', 'QUJD', 'ab ', '%41', '&#65;', '<|', '\\x41', 'you are '])(
  'the judge takes bounded time for 200,000 characters of %j',
  (piece) => {
    expect(measureCpuMs(() => find(piece.repeat(Math.ceil(200_000 / piece.length))))).toBeLessThan(3_000);
  },
);

test('the judge searches once for the opening of a name that a text closes repeatedly', () => {
  expect(measureCpuMs(() => find(`${'x'.repeat(300_000)} <query> ${'</query> '.repeat(30_000)}`))).toBeLessThan(3_000);
});
