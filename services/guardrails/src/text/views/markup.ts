// A text without its marks: tags and comments gone, so that what stands between them reads on, and characters in place of their escapes. Only
// the surroundings of what changes: a long text with few marks is not read as a whole again.
import type { Span } from '../span.ts';
import { inStep, replacing, slicing, within, type DerivedText } from './derived-text.ts';
import { ESCAPE_GROUPS, ESCAPES, escapedCharacter } from './escapes.ts';

const TAGS = String.raw`<\/?[a-z][^<>]{0,400}>|<!--|-->|<!\[CDATA\[|\]\]>|<!>|\/\*|\*\/|\[\/?(?:b|i|u|s|color|size|url|quote)(?:=[^\]\n]{0,100})?\]`;
/** What a link says. */
const LINK = String.raw`\[([^\][\n]{1,80})\]\([^()\s]{0,200}\)`;
const mark = new RegExp(`${ESCAPES}|${TAGS}|${LINK}`, 'gi');

/** On either side of a mark, code units: no attempt that a mark stands in is longer without another one. */
const REACH = 256;

export function withoutMarkup(text: string): DerivedText {
  if (!/[%&\\=<[*]|u\+/i.test(text)) return inStep('');
  const spans = surroundings(text);
  const near = spans.length === 0 ? inStep('') : slicing(text, spans, '\n');
  return within(near, replacing(near.text, mark, replacement));
}

function replacement(match: RegExpExecArray): string {
  const [found, ...groups] = match;
  const isEscape = /^[%&\\=u]/i.test(found);
  return isEscape ? escapedCharacter([found, ...groups.slice(0, ESCAPE_GROUPS)]) : (groups[ESCAPE_GROUPS] ?? '');
}

function surroundings(text: string): Span[] {
  const spans: Span[] = [];
  for (const { 0: found, index } of text.matchAll(mark)) {
    const last = spans.at(-1);
    const end = Math.min(index + found.length + REACH, text.length);
    if (last && index - REACH <= last.end) last.end = end;
    else spans.push({ start: lineStart(text, Math.max(index - REACH, 0)), end });
  }
  return spans;
}

/** A role counts at the start of a line: the surroundings begin with a whole one, where one begins near. */
function lineStart(text: string, at: number): number {
  const start = text.lastIndexOf('\n', at) + 1;
  return at - start <= REACH ? start : at;
}
