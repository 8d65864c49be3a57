// Lowers strong signals inside a quotation that a user asks about, which leaves the text in doubt. The surrounding
// words must ask or announce the quotation ("explain", "label") and must be on the allow-list of mention-words.ts,
// because quotation marks alone prove nothing, and a deny-list cannot cover all ways to request the quoted content. In
// a tool result a quotation counts in full, because no user asks there.
import { countCovered, replaceSpans, type TextSpan } from '../../text/span.ts';
import { countMentionWords } from './mention-words.ts';
import { measureShare } from './quotations.ts';
import { WEIGHTS } from './rules/rule.ts';
import type { Signal } from './signals.ts';

/** Weight of a quoted signal in a question: it is in doubt, and adds to no other signal. */
const MENTIONED = WEIGHTS.medium * 0.6;
/** Minimum share of a signal in quotation marks. */
const MIN_SHARE = 0.5;
/** Maximum length of a question about a quotation, in code units. */
const MAX_TEXT = 600;
/** Weight of a signal outside of the quotation from which the text is not a question. */
const MAX_BESIDE = WEIGHTS.weak;

/**
 * Quotation marks that open and close alike must have no space on their inner sides; otherwise the text between two
 * quotations would count as one.
 */
const quotation =
  /(?<![\p{L}\p{N}])(["`])(?!\s)(?:(?!\1)[^\n]){3,300}(?<!\s)\1(?![\p{L}\p{N}])|\u201c[^\u201c\u201d\n]{3,300}\u201d|\u00ab[^\u00ab\u00bb\n]{3,300}\u00bb|\u201e[^\u201e\u201c\u201d\n]{3,300}[\u201c\u201d]|(?<![\p{L}\p{N}])['\u2018](?!\s)[^'\u2018\u2019\n]{3,300}(?<!\s)['\u2019](?![\p{L}\p{N}])/gu;

const MIN_WORDS = 5;
/** Codes in which a quotation may be written; a quotation in another code is not lowered. */
const PLAIN = new Set(['literals', 'markup']);

const lookedAt =
  /[?\u061f\uff1f]|\b(?:why|explain|means?|meaning|differences?|recogni[sz]ed?|detect(?:ed|s|ion)?|classify|label|blocked|filtered|flagged|harmless|dangerous|examples?|funny|trick|famous|grammar|too bold|misses?|warum|wieso|erkl\u00e4re?n?|bedeutet|gef\u00e4hrlich|pourquoi|explique[rz]?|signifie|exemples?|ejemplos?|significa|expl\u00edca(?:lo|me)?|explica|perch\u00e9|spiega(?:mi)?|esempio|exemplo|explicar?|waarom|betekent|uitleg(?:gen)?|dlaczego|wyja\u015bnij|oznacza)\b|\bpor qu[e\u00e9]\b|\btrying to\b|\bis (?:that|it|this)\b/iu;

/** @param signals of a user's text, in place */
export function weighMentions(text: string, signals: readonly Signal[]): Signal[] {
  if (signals.length === 0 || text.length > MAX_TEXT) return [...signals];
  const quoted = Array.from(text.matchAll(quotation), ({ index, 0: { length } }) => ({
    start: index,
    end: index + length,
  }));
  if (quoted.length === 0) return [...signals];
  const isInside = (signal: Signal): boolean =>
    signal.aim !== 'configured' &&
    (signal.codes ?? []).every((code) => PLAIN.has(code)) &&
    measureShare(signal, quoted) >= MIN_SHARE;
  if (signals.some((signal) => signal.weight > MAX_BESIDE && !isInside(signal))) return [...signals];
  // A quoted text without its own plain rule signal counts like unquoted text.
  const plain = signals.filter(({ codes }) => !codes);
  const isSubject = (span: TextSpan) => plain.some((signal) => countCovered(signal, [span]) > 0);
  const subjects = quoted.length > 1 ? quoted.filter(isSubject) : quoted;
  const around = replaceSpans(text, subjects, () => ' \u2026 ').replace(quotation, (other) => other.slice(1, -1));
  if (!lookedAt.test(around) || (countMentionWords(around) ?? 0) < MIN_WORDS) return [...signals];
  return signals.map((signal) =>
    isInside(signal) ? { ...signal, weight: Math.min(signal.weight, MENTIONED) } : signal,
  );
}
