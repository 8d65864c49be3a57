// npm run -s quality:compare -- --other FOLDER [--every N]: judges texts with this commit and with another one, as a user's text and as a
// tool result, and lists the texts for which score or signals differ. The folder contains the judge-text.ts of that commit.
import { isDeepStrictEqual, parseArgs } from 'node:util';
import { listComparedTexts } from './list-compared-texts.ts';
import { loadJudge, OWN_FOLDER } from '../cost/load-judge.ts';

const MAX_TOLD = 10;
/** Length of the printed beginning of a text, in code units. */
const EXCERPT = 200;

const { values } = parseArgs({ options: { other: { type: 'string' }, every: { type: 'string', default: '1' } } });
if (values.other === undefined) throw new Error('Name the folder of the other judge-text.ts with --other.');
const every = Number(values.every);
const own = await loadJudge(OWN_FOLDER);
const other = await loadJudge(values.other);

let [compared, different] = [0, 0];
for (const { name, texts } of await listComparedTexts()) {
  let [at, count] = [0, 0];
  for (const text of texts) {
    at += 1;
    if (at % every !== 0) continue;
    count += 1;
    for (const from of ['user', 'tool'] as const) {
      const [mine, theirs] = [own(text, from), other(text, from)];
      if (isDeepStrictEqual(mine, theirs)) continue;
      different += 1;
      if (different <= MAX_TOLD)
        console.log(`${name}, ${from}: ${JSON.stringify({ text: text.slice(0, EXCERPT), mine, theirs })}`);
    }
  }
  compared += count;
  console.log(`${name}: ${count} texts`);
}
console.log(`${compared} texts as a user's text and as a tool result, ${different} judgements differ`);
process.exitCode = different === 0 ? 0 : 1;
