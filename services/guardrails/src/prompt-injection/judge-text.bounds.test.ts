// Texts made to keep the rules busy.
import { expect, test } from 'vitest';
import { cpuMs } from '../testing/cpu-ms.ts';
import { createJudge, judgeAlone, type InjectionOptions } from './judge-text.ts';
import { AIMS } from './rules/rule.ts';

const options: InjectionOptions = { aims: AIMS, threshold: 0.7, phrases: [], patterns: [] };
const judge = createJudge(options);
const find = (text: string) => {
  const { score, signals } = judgeAlone(judge, text, 'user');
  return score >= 0.7 ? signals : [];
};

test('the first text that a process judges costs no second: no pattern is long to compile', () => {
  // Two bytes a character: patterns are compiled anew for such texts.
  expect(cpuMs(() => find('Ｗｈａｔ is the weather, and --how-- d o e s it look?'))).toBeLessThan(500);
  expect(cpuMs(() => find('What is the weather, and --how-- d o e s it look?'))).toBeLessThan(500);
});

test.each(['ignore ', 'ignore all ', 'system: ', '---- ', 'QUJD', 'ab ', '%41', '&#65;', '<|', '\\x41', 'you are '])(
  '200,000 characters of %j are judged in bounded time',
  (piece) => {
    expect(cpuMs(() => find(piece.repeat(Math.ceil(200_000 / piece.length))))).toBeLessThan(3_000);
  },
);

test('what is closed again and again, and opened once far behind the beginning, is looked for once', () => {
  expect(cpuMs(() => find(`${'x'.repeat(300_000)} <query> ${'</query> '.repeat(30_000)}`))).toBeLessThan(3_000);
});
