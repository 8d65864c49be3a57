// Formats rows as columns of text. Programs use --json.
import { toOneLine } from './printable.ts';

/** A cell is one line; columns are as wide as their widest cell, and the last column has no padding. */
export function formatTable(header: readonly string[], rows: readonly (readonly string[])[], indent = ''): string {
  const cells = [header, ...rows].map((row) => row.map((cell) => toOneLine(cell)));
  const widths = header.map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)));
  const lines = cells.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '));
  return lines.map((line) => `${indent}${line}`.trimEnd()).join('\n');
}
