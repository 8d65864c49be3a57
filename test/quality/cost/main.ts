// npm run -s quality:cost -- --other FOLDER: compares the processor time of prompt-injection with another commit for 1, 10 and
// 100 KiB of prose. The folder contains the judge-text.ts of that commit. Both judge the same texts in the same process in turn.
import { parseArgs } from 'node:util';
import { plainText } from '../../bench/src/guard-texts.ts';
import { loadJudge, OWN_FOLDER } from './load-judge.ts';

const SIZES = [1, 10, 100];
const ROUNDS = 15;
/** Size of the texts of a round, so that a round of each size takes the same time. */
const ROUND_KIB = 200;

const { values } = parseArgs({ options: { other: { type: 'string' } } });
if (values.other === undefined) throw new Error('Name the folder of the other judge-text.ts with --other.');
const own = await loadJudge(OWN_FOLDER);
const other = await loadJudge(values.other);
const prose = await plainText();

/** Returns processor time in ms. */
function measureMs(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

/** Texts of one size from different places, so that caches do not answer for a text. */
function cutTexts(kib: number): string[] {
  const text = prose(ROUND_KIB);
  const length = kib * 1_024;
  return Array.from({ length: ROUND_KIB / kib }, (_, at) => text.slice(at * length, (at + 1) * length));
}

for (const from of ['user', 'tool'] as const) {
  for (const kib of SIZES) {
    const texts = cutTexts(kib);
    const judgeAll = (judge: typeof own) => measureMs(() => texts.forEach((text) => judge(text, from)));
    const rounds = Array.from({ length: ROUNDS }, () => ({ own: judgeAll(own), other: judgeAll(other) }));
    const least = (of: 'own' | 'other') => Math.min(...rounds.map((round) => round[of])) / ROUND_KIB;
    const [mine, theirs] = [least('own'), least('other')];
    console.log(
      `${from}, ${kib} KiB: ${mine.toFixed(3)} ms a KiB, other ${theirs.toFixed(3)}, ratio ${(mine / theirs).toFixed(2)}`,
    );
  }
}
