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
      places ??= placesOf(text);
      // The spaces at the ends of a stretch are nobody's.
      const inside = places.slice(start, end).filter((place) => place.end > place.start);
      return { start: inside[0]?.start ?? 0, end: inside.at(-1)?.end ?? text.length };
    },
  };
}

// oxlint-disable-next-line no-control-regex -- the range of ASCII begins with control characters
const beyondAscii = /[^\x00-\x7f]+/gu;

/** Whole runs at a time: this is run on every text, and on what it decodes to. */
function viewOf(text: string): string {
  const plain = text.replace(beyondAscii, (run) => Array.from(run, unitsOf).join(''));
  return ` ${plain.toLowerCase().replace(/['`]/g, '').replace(asciiGap, ' ').trim()} `.replace(/^ {2}$/, ' ');
}
const asciiGap = /[^a-z0-9\x80-\uffff]+/g;

/** For each unit of the view, the character it came from; nothing for spaces. The same walk, one character at a time. */
function placesOf(text: string): Span[] {
  const places: Span[] = [{ start: 0, end: 0 }];
  let spaced = true;
  let at = 0;
  for (const character of text) {
    const end = at + character.length;
    for (const unit of unitsOf(character)) {
      if (unit === ' ' && spaced) continue;
      spaced = unit === ' ';
      for (let n = 0; n < unit.length; n++) places.push({ start: at, end: spaced ? at : end });
    }
    at = end;
  }
  return places;
}

/** One character's in the view; a space for what separates words. */
function unitsOf(character: string): string {
  if (/['`]/.test(character)) return '';
  const plain = character.normalize('NFKD').replace(dropped, '').toLowerCase();
  return Array.from(plain, (part) => (inWord.test(part) ? part : ' ')).join('');
}
