// A text as bare words: lower case, NFKD without accents, invisible characters and apostrophes dropped, everything else between
// words one space; a space at both ends. "Ign\u00f3re_ALL\u2014previous instructions!" is " ignore all previous instructions ".
import type { Span } from '../text/span.ts';
import type { DerivedText } from './derived-text.ts';

const dropped = /[\p{M}\p{Default_Ignorable_Code_Point}\u2018\u2019\u00b4]/gu;
const inWord = /[\p{L}\p{N}]/u;

export function wordView(text: string): DerivedText {
  let places: Span[] | undefined;
  return {
    text: viewOf(text),
    spanOf({ start, end }) {
      if (!places) viewOf(text, (places = []));
      // The spaces at the ends of a stretch are nobody's.
      const inside = places.slice(start, end).filter((place) => place.end > place.start);
      return { start: inside[0]?.start ?? 0, end: inside.at(-1)?.end ?? text.length };
    },
  };
}

/** @param places for each unit of the view, the character it came from; nothing for spaces */
function viewOf(text: string, places?: Span[]): string {
  let view = ' ';
  let spaced = true;
  let at = 0;
  places?.push({ start: 0, end: 0 });
  for (const character of text) {
    const end = at + character.length;
    for (const unit of unitsOf(character)) {
      if (unit !== ' ' || !spaced) {
        view += unit;
        for (let n = 0; n < unit.length; n++) places?.push({ start: at, end: unit === ' ' ? at : end });
      }
      spaced = unit === ' ';
    }
    at = end;
  }
  return spaced ? view : `${view} `;
}

/** One character's in the view; a space for what separates words. */
function unitsOf(character: string): string {
  const code = character.charCodeAt(0);
  if (code < 128) {
    if ((code >= 97 && code <= 122) || (code >= 48 && code <= 57)) return character;
    if (code >= 65 && code <= 90) return String.fromCharCode(code + 32);
    return code === 39 || code === 96 ? '' : ' ';
  }
  const plain = character.normalize('NFKD').replace(dropped, '').toLowerCase();
  return [...plain].map((part) => (inWord.test(part) ? part : ' ')).join('');
}
