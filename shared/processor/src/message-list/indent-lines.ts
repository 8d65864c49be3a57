/**
 * Trims every line, drops the empty ones and indents all but the first, so that no line of a message can imitate the first line of another
 * one. Takes time in proportion to the length of the text, whatever it consists of.
 */
export function indentLines(text: string): string {
  const lines = text.split('\n').map((line) => line.trim());
  return lines.filter((line) => line !== '').join('\n  ');
}
