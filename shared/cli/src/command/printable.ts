// Makes text of models and users safe for a terminal: removes control characters, which could move the cursor, hide
// text, or write to the clipboard. Line breaks and tabs are kept. Formats rows as columns of such text.

/** C0 and C1 controls except tab, line feed and carriage return before a line feed; and bidirectional controls. */
// oxlint-disable-next-line no-control-regex -- they are what is looked for
const CONTROLS = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]|\r(?!\n)/g;

export function makePrintable(text: string): string {
  return text.replaceAll(CONTROLS, '\uFFFD');
}

/** Converts text to one line of at most `max` characters. */
export function toOneLine(text: string, max = 200): string {
  const line = makePrintable(text).replaceAll(/\s+/g, ' ').trim();
  return line.length > max ? `${line.slice(0, max - 1)}…` : line;
}

/** A cell is one line; columns are as wide as their widest cell, and the last column has no padding. */
export function formatTable(header: readonly string[], rows: readonly (readonly string[])[], indent = ''): string {
  const cells = [header, ...rows].map((row) => row.map((cell) => toOneLine(cell)));
  const widths = header.map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)));
  const lines = cells.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '));
  return lines.map((line) => `${indent}${line}`.trimEnd()).join('\n');
}
