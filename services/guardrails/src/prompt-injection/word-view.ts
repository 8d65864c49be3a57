// A text as bare words: lower case, NFKD without accents, invisible characters and apostrophes dropped, everything else between
// words one space; a space at both ends. "Ign\u00f3re_ALL—previous instructions!" and "ignore all previous instructions" are one.
import type { Span } from '../text/span.ts';

export type WordView = { text: string; /** where a stretch of the view stands in the text */ spanOf(start: number, end: number): Span };

const dropped = /[\p{M}\p{Default_Ignorable_Code_Point}'’‘`´]/gu;
const inWord = /[\p{L}\p{N}]/u;

export function wordView(text: string): WordView {
  return {
    text: viewOf(text),
    spanOf(start, end) {
      const places: Span[] = [];
      viewOf(text, places);
      // The spaces at the ends of a stretch are nobody's.
      const inside = places.slice(start, end).filter((place) => place.end > place.start);
      return { start: inside[0]?.start ?? 0, end: inside.at(-1)?.end ?? text.length };
    },
  };
}

/** @param places for each unit of the view, the character it came from; empty for spaces */
function viewOf(text: string, places?: Span[]): string {
  let view = ' ';
  let at = 0;
  places?.push({ start: 0, end: 0 });
  for (const character of text) {
    const end = at + character.length;
    for (const unit of unitsOf(character)) {
      if (unit === ' ' && view.endsWith(' ')) continue;
      view += unit;
      places?.push({ start: at, end: unit === ' ' ? at : end });
    }
    at = end;
  }
  if (view.endsWith(' ')) return view;
  places?.push({ start: at, end: at });
  return `${view} `;
}

/** The units of one character in the view; a space for what separates words. */
function unitsOf(character: string): string {
  const code = character.charCodeAt(0);
  if (code < 128) {
    if ((code >= 97 && code <= 122) || (code >= 48 && code <= 57)) return character;
    if (code >= 65 && code <= 90) return character.toLowerCase();
    return code === 39 || code === 96 ? '' : ' ';
  }
  const plain = character.normalize('NFKD').replace(dropped, '').toLowerCase();
  return [...plain].map((part) => (inWord.test(part) ? part : ' ')).join('');
}
