// npm run -s quality:user-texts -- [--fetch] [--options JSON]: measures how many texts of users prompt-injection stops, by corpus and length,
// with 95 % intervals. --fetch downloads the packages first. It prints totals only, because no text is read to choose a rule.
import { parseArgs } from 'node:util';
import { jsonObjectSchema } from '@millrace/contracts';
import { fetchPackages } from '../documents/fetch-packages.ts';
import { renderShare } from '../documents/wilson.ts';
import { createGuards } from '../src/guards.ts';
import { USER_TEXT_PACKAGES, readUserTexts } from './read-user-texts.ts';

const { values } = parseArgs({
  options: { fetch: { type: 'boolean', default: false }, options: { type: 'string', default: '{}' } },
});
/** Upper bounds of the lengths, UTF-16 code units. */
const LENGTHS = [100, 500, 2_000, 8_000];

if (values.fetch) await fetchPackages(USER_TEXT_PACKAGES);
const guards = await createGuards(jsonObjectSchema.parse(JSON.parse(values.options)));
const judged: { origin: string; length: number; isStopped: boolean }[] = [];
for (const { origin, text } of readUserTexts())
  judged.push({ origin, length: text.length, isStopped: (await guards.judgeUser([text])).isCaught });

const printRow = (name: string, some: typeof judged) =>
  console.log(`${name}: ${renderShare(some.filter(({ isStopped }) => isStopped).length, some.length)}`);
printRow('user texts stopped, with the 95 % interval', judged);
for (const [at, to] of LENGTHS.entries()) {
  const from = at === 0 ? 0 : (LENGTHS[at - 1] ?? 0);
  printRow(
    `${from + 1} to ${to} characters`,
    judged.filter(({ length }) => length > from && length <= to),
  );
}
for (const [origin, some = []] of Object.entries(Object.groupBy(judged, (one) => one.origin))) printRow(origin, some);
process.exit();
