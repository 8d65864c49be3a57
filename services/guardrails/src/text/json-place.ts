// Where a text that is JSON stands after each piece of it: inside a string, or between strings, where a mark in the place of a
// number needs quotes. A text is read from its beginning in pieces of any length, so what is known is kept between them.

/** `prose`: not JSON, for good. JSON itself: it lives in an entry's state between deltas. */
export type JsonPlace = { phase: 'start' | 'object' | 'array' | 'json' | 'prose'; inString: boolean; escaped: boolean };

/** @param isJson whether the text is JSON whatever it begins with, as tool arguments are */
export const beginning = (isJson: boolean): JsonPlace => ({
  phase: isJson ? 'json' : 'start',
  inString: false,
  escaped: false,
});

/** Where a mark must be quoted. */
export const isBetweenStrings = (place: JsonPlace): boolean => place.phase === 'json' && !place.inString;

/** Reads on: changes `place`. */
export function readOn(place: JsonPlace, text: string, from: number, to: number): void {
  for (let at = from; at < to; at++) {
    if (place.phase === 'prose') return;
    if (place.phase === 'json') readJson(place, text.charCodeAt(at));
    else if (!isWhite(text.charCodeAt(at))) readStart(place, text.charAt(at));
  }
}

const QUOTE = 34;
const BACKSLASH = 92;

function readJson(place: JsonPlace, unit: number): void {
  if (place.escaped) place.escaped = false;
  else if (unit === QUOTE) place.inString = !place.inString;
  else if (unit === BACKSLASH) place.escaped = place.inString;
}

/** JSON's own white space; other kinds are prose. */
const isWhite = (unit: number): boolean => unit === 32 || (unit >= 9 && unit <= 13);

/** `{"` and `[{`, `["`, `[[`: what prose does not begin with, and structured output does. */
const follows = { object: /["}]/, array: /[[{"]/ };

function readStart(place: JsonPlace, character: string): void {
  if (place.phase === 'object' || place.phase === 'array') {
    place.phase = follows[place.phase].test(character) ? 'json' : 'prose';
    if (place.phase === 'json') readJson(place, character.charCodeAt(0));
  } else place.phase = character === '{' ? 'object' : character === '[' ? 'array' : 'prose';
}
