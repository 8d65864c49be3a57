// Removes tags and comments and decodes escapes. The view contains only the surroundings of changes, so a long text
// with little markup is not judged twice.
import type { TextSpan } from '../span.ts';
import { copyText, replaceMatches, joinSlices, chainViews, type DerivedText } from './derived-text.ts';
import { ESCAPE_GROUPS, ESCAPES, decodeEscape } from './escapes.ts';

const TAGS = String.raw`<\/?[a-z][^<>]{0,400}>|<!--|-->|<!\[CDATA\[|\]\]>|<!>|\/\*|\*\/|\[\/?(?:b|i|u|s|color|size|url|quote)(?:=[^\]\n]{0,100})?\]`;
/** Text of a link. */
const LINK = String.raw`\[([^\][\n]{1,80})\]\([^()\s]{0,200}\)`;
const mark = new RegExp(`${ESCAPES}|${TAGS}|${LINK}`, 'gi');

/** Distance around a change, in code units. A longer attack with markup inside contains another change. */
const REACH = 256;

export function removeMarkup(text: string): DerivedText {
  if (!/[%&\\=<[*]|u\+/i.test(text)) return copyText('');
  const spans = takeSurroundings(text);
  const near = spans.length === 0 ? copyText('') : joinSlices(text, spans, '\n');
  return chainViews(near, replaceMatches(near.text, mark, replaceMarkup));
}

function replaceMarkup(match: RegExpExecArray): string {
  const [found, ...groups] = match;
  const isEscape = /^[%&\\=u]/i.test(found);
  return isEscape ? decodeEscape([found, ...groups.slice(0, ESCAPE_GROUPS)]) : (groups[ESCAPE_GROUPS] ?? '');
}

function takeSurroundings(text: string): TextSpan[] {
  const spans: TextSpan[] = [];
  for (const { 0: found, index } of text.matchAll(mark)) {
    const last = spans.at(-1);
    const end = Math.min(index + found.length + REACH, text.length);
    if (last && index - REACH <= last.end) last.end = end;
    else spans.push({ start: findLineStart(text, Math.max(index - REACH, 0)), end });
  }
  return spans;
}

/** Returns the start of the line if it is near, because a role counts at the start of a line only. */
function findLineStart(text: string, at: number): number {
  const start = text.lastIndexOf('\n', at) + 1;
  return at - start <= REACH ? start : at;
}
