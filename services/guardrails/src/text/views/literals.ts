// What a text puts in quotes, joined: a sentence that is handed over in pieces, to be put together by the reader.
import type { Span } from '../span.ts';
import { inStep, slicing, type DerivedText } from './derived-text.ts';

const literal = /"([^"\n\\]{0,2000})"|'([^'\n\\]{0,2000})'|`([^`\n]{0,2000})`|\u201c([^\u201c\u201d\n]{0,2000})\u201d/g;
const MIN_LITERALS = 2;

/** Nothing between them: pieces are cut within words too. */
export function literalsOf(text: string): DerivedText {
  const spans: Span[] = [];
  for (const { 0: found, index } of text.matchAll(literal)) {
    if (found.length > 2) spans.push({ start: index + 1, end: index + found.length - 1 });
  }
  return spans.length < MIN_LITERALS ? inStep('') : slicing(text, spans, '');
}
