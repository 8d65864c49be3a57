// The rows as a table of Markdown, for BENCHMARKS.md.
import type { Row } from './measure.ts';

export function tableOf(rows: readonly Row[]): string {
  const lines = rows.map(({ name, unit, value, baseline, ratio, detail }) => {
    const more = Object.entries(detail).map(([key, figure]) => `${key} ${figure}`);
    return `| ${name} | ${value} ${unit} | ${baseline} | ${ratio} | ${more.join(', ')} |`;
  });
  return ['| row | measured | baseline | ratio | detail |', '|---|---|---|---|---|', ...lines, ''].join('\n');
}
