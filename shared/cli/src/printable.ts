// Text of models and users on its way to a terminal: control characters could move the cursor, hide what stands there, or write
// into the clipboard. Line breaks and tabs stay.

/** C0 and C1 controls but tab, line feed and carriage return before one; and what changes the direction of writing. */
// oxlint-disable-next-line no-control-regex -- they are what is looked for
const CONTROLS = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]|\r(?!\n)/g;

export function printable(text: string): string {
  return text.replaceAll(CONTROLS, '\uFFFD');
}

/** On one line, and no longer than `max` characters. */
export function oneLine(text: string, max = 200): string {
  const line = printable(text).replaceAll(/\s+/g, ' ').trim();
  return line.length > max ? `${line.slice(0, max - 1)}…` : line;
}
