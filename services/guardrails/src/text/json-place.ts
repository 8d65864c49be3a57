// Tracks the position in JSON text: inside a string, or between strings, where the mark of a number needs quotes. A
// text is read from its start in pieces of any length, so the state is kept between them.

/** `prose`: not JSON, finally. The state itself is JSON, because an entry's state stores it between deltas. */
export type JsonPlace = { phase: 'start' | 'object' | 'array' | 'json' | 'prose'; inString: boolean; escaped: boolean };

/** @param isJson whether the text is JSON regardless of its start, like tool arguments */
export const createPlace = (isJson: boolean): JsonPlace => ({
  phase: isJson ? 'json' : 'start',
  inString: false,
  escaped: false,
});

/** Returns whether a mark needs quotes here. */
export const isBetweenStrings = (place: JsonPlace): boolean => place.phase === 'json' && !place.inString;

/** Reads a part of the text. Changes `place`. */
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

/** `{"` and `[{`, `["`, `[[`: starts of structured output, which prose does not have. */
const follows = { object: /["}]/, array: /[[{"]/ };

function readStart(place: JsonPlace, character: string): void {
  if (place.phase === 'object' || place.phase === 'array') {
    place.phase = follows[place.phase].test(character) ? 'json' : 'prose';
    if (place.phase === 'json') readJson(place, character.charCodeAt(0));
  } else place.phase = character === '{' ? 'object' : character === '[' ? 'array' : 'prose';
}
