// Formats the rows as a Markdown table for BENCHMARKS.md.
import type { BenchRow } from './measure.ts';

export function formatTable(rows: readonly BenchRow[]): string {
  const lines = rows.map(({ name, unit, value, baseline, ratio, detail }) => {
    const more = Object.entries(detail).map(([key, figure]) => `${key} ${figure}`);
    return `| ${name} | ${value} ${unit} | ${baseline} | ${ratio} | ${more.join(', ')} |`;
  });
  return ['| row | measured | baseline | ratio | detail |', '|---|---|---|---|---|', ...lines, ''].join('\n');
}
