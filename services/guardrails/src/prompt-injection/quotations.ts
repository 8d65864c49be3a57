// What a text reports as said by others, in quotes behind a word for saying: weak signals in it say half as much. Anybody can put quotes around an
// attempt: so what decides, or nearly does, counts in quotes as anywhere.
import { coveredBy, type Span } from '../text/span.ts';
import type { Signal } from './signals.ts';

/** Signals of more weight are what they are, wherever they stand. */
const MAX_WEIGHT = 0.6;
const HALF = 0.5;
/** Of a signal so much stands in quotes. */
const MIN_SHARE = 0.6;
/** Before the quote, on its line, code units. */
const REACH = 80;

const quote =
  /"[^"\n]{3,400}"|\u201c[^\u201c\u201d\n]{3,400}\u201d|\u00ab[^\u00ab\u00bb\n]{3,400}\u00bb|\u201e[^\u201e\u201c\u201d\n]{3,400}[\u201c\u201d]/g;
/** Words for saying and naming in the languages that write with these quotes. */
const saying =
  /\b(?:sa(?:y|ys|id|ying)|wrote|writes|writing|reads?|states?|stated|called|titled|named|asked|asks|like|such as|e\.g\.|for example|phrases?|sentences?|words?|strings?|texts?|messages?|prompts?|lines?|examples?|inputs?|attacks?|attempts?|quotes?|quoted?|containing|contains|contained|means?|meaning|translate|reported|reports|comment|claims?|claimed|type[sd]?|typing|replied|schrieb|schreibt|sagt|wie|satz|lautet|\u00fcbersetze|dit|\u00e9crit|phrase|comme|dice|dijo|frase|como|scrive|disse|come|escreveu|zei|schreef|zin)\b/i;

/** @param signals of the text as it stands */
export function withQuotations(text: string, signals: readonly Signal[]): Signal[] {
  if (!signals.some(({ weight }) => weight <= MAX_WEIGHT)) return [...signals];
  const quoted = quotedIn(text);
  if (quoted.length === 0) return [...signals];
  return signals.map((signal) =>
    signal.weight <= MAX_WEIGHT && shareIn(signal, quoted) >= MIN_SHARE
      ? { ...signal, weight: signal.weight * HALF }
      : signal,
  );
}

function quotedIn(text: string): Span[] {
  const spans: Span[] = [];
  for (const { 0: found, index } of text.matchAll(quote)) {
    const before = text.slice(Math.max(0, index - REACH), index);
    if (saying.test(before)) spans.push({ start: index, end: index + found.length });
  }
  return spans;
}

export const shareIn = (signal: Span, quoted: readonly Span[]): number =>
  coveredBy(signal, quoted) / Math.max(1, signal.end - signal.start);
