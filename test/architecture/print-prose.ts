// Prints the figures of the prose by kind: `npm run prose`.
import { measureProse, WORD_BUDGETS } from './measure-prose.ts';
import { readProse } from './read-prose.ts';

const columns = [...WORD_BUDGETS.map(({ name }) => name), 'if : where'];
const rows = measureProse(readProse()).map(({ kind, words, rates, conditions, places }) => [
  kind.padEnd(20),
  String(words).padStart(7),
  ...rates.map((rate, at) => rate.toFixed(2).padStart(columns[at]?.length ?? 0)),
  `${conditions} : ${places}`,
]);
const budgets = WORD_BUDGETS.map(({ name, budget }) => String(budget).padStart(name.length));
const lines = [[''.padEnd(20), '  words', ...columns], ['budget'.padEnd(20), ''.padStart(7), ...budgets], ...rows];
process.stdout.write(`${lines.map((line) => line.join('  ')).join('\n')}\n`);
