// The rows of the guards as tables of Markdown, and as a page has them: between two comments, so that one command measures and writes them.
import type { Row, SizedCost } from './measure.ts';

const BEGIN = '<!-- guards: written by the bench -->';
const END = '<!-- guards: end -->';

/** Between them growth is told of. KiB. */
const [FROM, TO] = [100, 1_000];
const MOST_TOLD = 5;

/** The page with the tables of these rows. @throws where the page has no place for them */
export function withGuardTables(page: string, rows: readonly Row[], machine: string): string {
  const [begin, end] = [page.indexOf(BEGIN), page.indexOf(END)];
  if (begin < 0 || end < begin) throw new Error(`The page has no "${BEGIN}" … "${END}".`);
  return `${page.slice(0, begin)}${BEGIN}\n\n${guardTables(rows, machine)}\n${page.slice(end)}`;
}

export function guardTables(rows: readonly Row[], machine: string): string {
  const sized = rows.flatMap(({ name, sizes = [] }) => sizes.map((one) => ({ guard: guardOf(name), ...one })));
  const kibs = sized[0]?.at.map(({ kib }) => kib) ?? [];
  const lines = sized.map(
    ({ guard, form, shape, at }) =>
      `| ${guard} | ${form} | ${shape} | ${at.map(({ us, isRefused }) => figure(us) + (isRefused ? '†' : '')).join(' | ')} |`,
  );
  const table = [
    `| guard | form | text | ${kibs.map((kib) => `${kib.toLocaleString('en')} KiB`).join(' | ')} |`,
    `|---|---|---|${'---|'.repeat(kibs.length)}`,
    ...lines,
  ];
  return [`${machine} µs of processor time a KiB; † refused, or given up.`, '', ...table, '', growthOf(sized), ''].join(
    '\n',
  );
}

const guardOf = (name: string): string => name.replace(/^guard-/, '');
const figure = (us: number): string => (us < 10 ? us.toPrecision(2) : us.toFixed(0));

/** What costs more a KiB at the larger size: what is refused there is another thing. */
function growthOf(sized: readonly ({ guard: string } & SizedCost)[]): string {
  const grown = sized
    .flatMap(({ guard, form, shape, at }) => {
      const [from, to] = [FROM, TO].map((size) => at.find(({ kib }) => kib === size));
      if (!from || !to || from.isRefused !== to.isRefused) return [];
      return { name: `${guard}, ${form} of ${shape}`, growth: to.us / from.us };
    })
    .toSorted((a, b) => b.growth - a.growth);
  const told = grown.slice(0, MOST_TOLD).map(({ name, growth }) => `${growth.toFixed(1)} times (${name})`);
  const sizes = `${TO.toLocaleString('en')} KiB against ${FROM}`;
  return `Of ${grown.length} rows, what a KiB costs at ${sizes}: at most ${told.join(', ')}.`;
}
