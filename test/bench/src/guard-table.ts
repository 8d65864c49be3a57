// Formats the rows of the guards as Markdown tables, and writes them to a page between two comments, so that one
// command measures and writes.
import type { BenchRow, SizedCost } from './measure.ts';

const BEGIN = '<!-- guards: written by the bench -->';
const END = '<!-- guards: end -->';

/** Sizes of the table, KiB. */
const [SMALL, LARGE] = [1, 100];
const PLAIN = 'prose';
/** Sizes between which growth is reported, KiB. */
const [FROM, TO] = [LARGE, 1_000];
const MAX_LISTED = 5;

type GuardCost = SizedCost & { guard: string };

/** Returns the page with the tables of these rows. @throws if the page has no comments for them */
export function replaceGuardTables(page: string, rows: readonly BenchRow[], machine: string): string {
  const [begin, end] = [page.indexOf(BEGIN), page.indexOf(END)];
  if (begin < 0 || end < begin) throw new Error(`The page has no "${BEGIN}" … "${END}".`);
  return `${page.slice(0, begin)}${BEGIN}\n\n${guardTables(rows, machine)}\n${page.slice(end)}`;
}

export function guardTables(rows: readonly BenchRow[], machine: string): string {
  const sized = rows.flatMap(({ name, sizes = [] }) => sizes.map((one) => ({ guard: readGuard(name), ...one })));
  const lines = [...Map.groupBy(sized, ({ guard }) => guard)].map(([guard, costs]) => {
    const plain = costs.find(({ shape }) => shape === PLAIN);
    const figures = plain ? [figureAt(plain, SMALL), figureAt(plain, LARGE)] : ['', ''];
    return `| ${guard} | ${figures.join(' | ')} | ${describeDearest(costs)} |`;
  });
  const table = [
    `| guard | prose, ${SMALL} KiB | prose, ${LARGE} KiB | most expensive, ${LARGE} KiB |`,
    '|---|---|---|---|',
    ...lines,
  ];
  return [
    `${machine} µs of processor time per KiB; † rejected, or cancelled.`,
    '',
    ...table,
    '',
    describeGrowth(sized),
    '',
  ].join('\n');
}

/** Returns the shape and the form with the highest cost at the larger size. */
function describeDearest(costs: readonly GuardCost[]): string {
  const [dearest] = costs.toSorted((a, b) => (costAt(b, LARGE)?.us ?? 0) - (costAt(a, LARGE)?.us ?? 0));
  return dearest ? `${figureAt(dearest, LARGE)} (${dearest.form} of ${dearest.shape})` : '';
}

const costAt = ({ at }: SizedCost, size: number) => at.find(({ kib }) => kib === size);
const figureAt = (cost: SizedCost, size: number): string => {
  const found = costAt(cost, size);
  return found ? figure(found.us) + (found.isRefused ? '†' : '') : '';
};
const readGuard = (name: string): string => name.replace(/^guard-/, '');
const figure = (us: number): string => (us < 10 ? us.toPrecision(2) : us.toFixed(0));

/** Describes the shapes that cost more per KiB at the larger size, without rejected ones, which are not comparable. */
function describeGrowth(sized: readonly GuardCost[]): string {
  const grown = sized
    .flatMap(({ guard, form, shape, at }) => {
      const [from, to] = [FROM, TO].map((size) => costAt({ form, shape, at }, size));
      if (!from || !to || from.isRefused !== to.isRefused) return [];
      return { name: `${guard}, ${form} of ${shape}`, growth: to.us / from.us };
    })
    .toSorted((a, b) => b.growth - a.growth);
  const largest = grown.slice(0, MAX_LISTED).map(({ name, growth }) => `${growth.toFixed(1)} times (${name})`);
  const sizes = `${TO.toLocaleString('en')} KiB relative to ${FROM} KiB`;
  return `Of ${grown.length} rows, the cost per KiB at ${sizes}: at most ${largest.join(', ')}.`;
}
