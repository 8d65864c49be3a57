// Makes text of models and users safe for a terminal: removes control characters, which could move the cursor, hide
// text, or write to the clipboard. Line breaks and tabs are kept.

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
