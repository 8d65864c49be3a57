// What a user asks about, rather than asks for: a question about a quotation. Strong signals in it say less, and leave a doubt. The words around it
// have to ask or to say that it is to be looked at ("explain", "label"), and to be words in which people do that (mention-words.ts): anybody can put
// quotes around an attempt, and ask for it in words that no list of forbidden ones has. In a tool's result nobody asks anything, so that a quotation there is what it is anywhere.
import { coveredBy, replaceSpans, type Span } from '../text/span.ts';
import { wordsAbout } from './mention-words.ts';
import { shareIn } from './quotations.ts';
import type { Signal } from './signals.ts';

/** What is left of a signal: one or two of them are no attempt, and whatever else is found makes it one. */
const MENTIONED = 0.4;
/** Of a signal so much stands in quotes; of a window, which is longer than most quotations, less. */
const MIN_SHARE = { word: 0.5, window: 0.25 };
/** A question about a quotation is no long text, code units. */
const MAX_TEXT = 600;
/** A signal of so much beside the quotation, and the quotation is no subject. */
const MAX_BESIDE = 0.3;

/** Marks that open as they close have a space on neither of their inner sides: else what stands between two quotations were one. */
const quotation =
  /(?<![\p{L}\p{N}])(["`])(?!\s)(?:(?!\1)[^\n]){3,300}(?<!\s)\1(?![\p{L}\p{N}])|\u201c[^\u201c\u201d\n]{3,300}\u201d|\u00ab[^\u00ab\u00bb\n]{3,300}\u00bb|\u201e[^\u201e\u201c\u201d\n]{3,300}[\u201c\u201d]|(?<![\p{L}\p{N}])['\u2018](?!\s)[^'\u2018\u2019\n]{3,300}(?<!\s)['\u2019](?![\p{L}\p{N}])/gu;

const MIN_WORDS = 5;
/** How a quotation itself may be read; what is in another code besides is no quotation of words. */
const PLAIN = new Set(['literals', 'markup']);

const lookedAt =
  /[?\u061f\uff1f]|\b(?:why|explain|means?|meaning|differences?|recogni[sz]ed?|detect(?:ed|s|ion)?|classify|label|blocked|filtered|flagged|harmless|dangerous|examples?|funny|trick|famous|grammar|too bold|misses?|warum|wieso|erkl\u00e4re?n?|bedeutet|gef\u00e4hrlich|pourquoi|explique[rz]?|signifie|exemples?|ejemplos?|significa|expl\u00edca(?:lo|me)?|explica|perch\u00e9|spiega(?:mi)?|esempio|exemplo|explicar?|waarom|betekent|uitleg(?:gen)?|dlaczego|wyja\u015bnij|oznacza)\b|\bpor qu[e\u00e9]\b|\btrying to\b|\bis (?:that|it|this)\b/iu;

/** @param signals of a user's text, in place */
export function withMentions(text: string, signals: readonly Signal[]): Signal[] {
  if (signals.length === 0 || text.length > MAX_TEXT) return [...signals];
  const quoted = Array.from(text.matchAll(quotation), ({ index, 0: { length } }) => ({
    start: index,
    end: index + length,
  }));
  if (quoted.length === 0) return [...signals];
  const isInside = (signal: Signal): boolean =>
    signal.aim !== 'configured' &&
    (signal.codes ?? []).every((code) => PLAIN.has(code)) &&
    shareIn(signal, quoted) >= (signal.aim === 'any' ? MIN_SHARE.window : MIN_SHARE.word);
  if (signals.some((signal) => signal.weight > MAX_BESIDE && !isInside(signal))) return [...signals];
  // What is quoted without a signal of its own, by rule and in plain words, speaks like what is not quoted.
  const plain = signals.filter(({ aim, codes }) => aim !== 'any' && !codes);
  const isSubject = (span: Span) => plain.some((signal) => coveredBy(signal, [span]) > 0);
  const subjects = quoted.length > 1 ? quoted.filter(isSubject) : quoted;
  const around = replaceSpans(text, subjects, () => ' \u2026 ').replace(quotation, (other) => other.slice(1, -1));
  if (!lookedAt.test(around) || (wordsAbout(around) ?? 0) < MIN_WORDS) return [...signals];
  return signals.map((signal) => (isInside(signal) ? { ...signal, weight: signal.weight * MENTIONED } : signal));
}
