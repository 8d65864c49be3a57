// Generates random members of a simple regular expression: literals, classes, groups with alternatives, and counts. Each
// character of a class is as probable as the others, as in real keys.
import type { LineMaker } from './random-lines.ts';

type Place = { source: string; at: number };

/** @throws if the expression has another construct */
export function makeMember(make: LineMaker, source: string): string {
  return readAlternatives(make, { source, at: 0 });
}

function readAlternatives(make: LineMaker, place: Place): string {
  const found = [''];
  while (place.at < place.source.length && place.source.charAt(place.at) !== ')') {
    if (place.source.charAt(place.at) === '|') {
      place.at += 1;
      found.push('');
      continue;
    }
    found.push(`${found.pop() ?? ''}${readPiece(make, place)}`);
  }
  return make.pick(found);
}

const count = /\{(\d+)(?:,(\d+))?\}|\?/y;

function readPiece(make: LineMaker, place: Place): string {
  const start = place.at;
  let text = readAtom(make, place);
  const end = place.at;
  count.lastIndex = end;
  const match = count.exec(place.source);
  if (!match) return text;
  const low = match[0] === '?' ? 0 : Number(match[1]);
  const times = make.pickNumber(low, match[0] === '?' ? 1 : Number(match[2] ?? match[1]));
  text = '';
  for (let done = 0; done < times; done++) text += readAtom(make, { source: place.source, at: start });
  place.at = end + match[0].length;
  return text;
}

const WORD = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_';

function readAtom(make: LineMaker, place: Place): string {
  const sign = place.source.charAt(place.at);
  if (sign === '(') return readGroup(make, place);
  if (sign === '[') return make.pickCharacters(readClass(place), 1);
  place.at += sign === '\\' ? 2 : 1;
  return sign === '\\' ? make.pickCharacters(readEscape(place.source.charAt(place.at - 1)), 1) : sign;
}

function readGroup(make: LineMaker, place: Place): string {
  if (!place.source.startsWith('(?:', place.at)) throw new Error(`An unknown group: ${place.source.slice(place.at)}`);
  place.at += 3;
  const text = readAlternatives(make, place);
  place.at += 1;
  return text;
}

const readEscape = (sign: string): string => (sign === 'w' ? WORD : sign === 'd' ? WORD.slice(52, 62) : sign);

function readClass(place: Place): string {
  const end = place.source.indexOf(']', place.at);
  const inner = place.source.slice(place.at + 1, end);
  place.at = end + 1;
  return [...inner.matchAll(/\\(.)|(.)-(.)|(.)/g)]
    .map(([, escaped, first, last, plain]) => {
      if (escaped !== undefined) return readEscape(escaped);
      if (first === undefined || last === undefined) return plain ?? '';
      const from = first.charCodeAt(0);
      return Array.from({ length: last.charCodeAt(0) - from + 1 }, (_, more) => String.fromCharCode(from + more)).join(
        '',
      );
    })
    .join('');
}
