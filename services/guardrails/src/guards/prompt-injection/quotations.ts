// Halves weak signals in reported speech: in quotation marks after a verb of saying. Strong signals count in full,
// because an attacker can add quotation marks too.
import { countCovered, type TextSpan } from '../../text/span.ts';
import { WEIGHTS } from './rules/rule.ts';
import type { Signal } from './signals.ts';

/** Weight above which a signal counts in full: a medium one. */
const MAX_WEIGHT = WEIGHTS.medium;
const HALF = 0.5;
/** Minimum share of a signal in quotation marks. */
const MIN_SHARE = 0.6;
/** Distance before the quotation, on its line, in code units. */
const REACH = 80;

const quote =
  /"[^"\n]{3,400}"|\u201c[^\u201c\u201d\n]{3,400}\u201d|\u00ab[^\u00ab\u00bb\n]{3,400}\u00bb|\u201e[^\u201e\u201c\u201d\n]{3,400}[\u201c\u201d]/g;
/** Verbs of saying and naming in the languages with these quotation marks. */
const saying =
  /\b(?:sa(?:y|ys|id|ying)|wrote|writes|writing|reads?|states?|stated|called|titled|named|asked|asks|like|such as|e\.g\.|for example|phrases?|sentences?|words?|strings?|texts?|messages?|prompts?|lines?|examples?|inputs?|attacks?|attempts?|quotes?|quoted?|containing|contains|contained|means?|meaning|translate|reported|reports|comment|claims?|claimed|type[sd]?|typing|replied|schrieb|schreibt|sagt|wie|satz|lautet|\u00fcbersetze|dit|\u00e9crit|phrase|comme|dice|dijo|frase|como|scrive|disse|come|escreveu|zei|schreef|zin)\b/i;

/** @param signals in places of the source text */
export function weighQuotations(text: string, signals: readonly Signal[]): Signal[] {
  if (!signals.some(({ weight }) => weight <= MAX_WEIGHT)) return [...signals];
  const quoted = findQuotations(text);
  if (quoted.length === 0) return [...signals];
  return signals.map((signal) =>
    signal.weight <= MAX_WEIGHT && measureShare(signal, quoted) >= MIN_SHARE
      ? { ...signal, weight: signal.weight * HALF }
      : signal,
  );
}

function findQuotations(text: string): TextSpan[] {
  const spans: TextSpan[] = [];
  for (const { 0: found, index } of text.matchAll(quote)) {
    const before = text.slice(Math.max(0, index - REACH), index);
    if (saying.test(before)) spans.push({ start: index, end: index + found.length });
  }
  return spans;
}

export const measureShare = (signal: TextSpan, quoted: readonly TextSpan[]): number =>
  countCovered(signal, quoted) / Math.max(1, signal.end - signal.start);
