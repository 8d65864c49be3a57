// What a user asks about, rather than asks for: a question about a quotation. Strong signals in it say less, and leave a doubt. The words around it
// have to ask or to say that it is to be looked at ("explain", "label"), and to say nothing to the model and nothing about doing what it says. In a tool's result nobody asks anything, so that a quotation there is what it is anywhere.
import type { Span } from '../text/span.ts';
import type { Signal } from './signals.ts';

/** What is left of a signal: one or two of them are no attempt, and whatever else is found makes it one. */
const MENTIONED = 0.4;
/** Of a signal so much stands in quotes; of a window, which is longer than most quotations, less. */
const MIN_SHARE = { word: 0.5, window: 0.25 };
/** A question about a quotation is no long text, code units. */
const MAX_TEXT = 600;
/** A signal of so much beside the quotation, and the quotation is no subject. */
const MAX_BESIDE = 0.3;

const quotation =
  /"[^"\n]{3,300}"|\u201c[^\u201c\u201d\n]{3,300}\u201d|\u00ab[^\u00ab\u00bb\n]{3,300}\u00bb|\u201e[^\u201e\u201c\u201d\n]{3,300}[\u201c\u201d]|`[^`\n]{3,300}`|(?<![\p{L}\p{N}])['\u2018][^'\u2018\u2019\n]{3,300}['\u2019](?![\p{L}\p{N}])/gu;

const word = /\p{L}+/gu;
const MIN_WORDS = 5;
/** How a quotation itself may be read; what is in another code besides is no quotation of words. */
const PLAIN = new Set(['literals', 'markup']);

const lookedAt =
  /[?\u061f\uff1f]|\b(?:why|explain|means?|meaning|differences?|recogni[sz]ed?|detect(?:ed|s|ion)?|classify|label|blocked|filtered|flagged|harmless|dangerous|examples?|funny|trick|famous|grammar|too bold|misses?|warum|wieso|erkl\u00e4re?n?|bedeutet|gef\u00e4hrlich|pourquoi|explique[rz]?|signifie|exemples?|ejemplos?|significa|expl\u00edca(?:lo|me)?|explica|perch\u00e9|spiega(?:mi)?|esempio|exemplo|explicar?|waarom|betekent|uitleg(?:gen)?|dlaczego|wyja\u015bnij|oznacza)\b|\bpor qu[e\u00e9]\b|\btrying to\b|\bis (?:that|it|this)\b/iu;
/** The model is spoken to, or what is quoted is to be done. */
const used =
  /\b(?:you|your|yourself|u|ur|(?:do|doing|does|done) (?:it|this|that|so|what|as|exactly|like)|obey\w*|follow\w*|execut\w*|perform\w*|appl(?:y|ies|ying)|run|complet\w*|continu\w*|answer\w*|repl(?:y|ies|ying)|respon\w*|comply\w*|carry|act|pretend|begin|start|now|then|instead|first|before|after|must|shall|du|dein\w*|dir|befolg\w*|ausf\u00fchr\w*|mach|tu|toi|ton|tes|vous|votre|vos|fais|faites|suis|suivez|t\u00fa|usted|haz|sigue|obedece|tuo|tua|tuoi|fai|segui|voc\u00ea|seu|sua|fa\u00e7a|siga|jij|jouw|doe|volg)\b/iu;

/** @param signals of a user's text, in place */
export function withMentions(text: string, signals: readonly Signal[]): Signal[] {
  if (signals.length === 0 || text.length > MAX_TEXT) return [...signals];
  const quoted = Array.from(text.matchAll(quotation), ({ index, 0: { length } }) => ({
    start: index,
    end: index + length,
  }));
  if (quoted.length === 0) return [...signals];
  const isInside = (signal: Signal): boolean =>
    (signal.codes ?? []).every((code) => PLAIN.has(code)) &&
    shareIn(signal, quoted) >= (signal.aim === 'any' ? MIN_SHARE.window : MIN_SHARE.word);
  if (signals.some((signal) => signal.weight > MAX_BESIDE && !isInside(signal))) return [...signals];
  const around = outside(text, quoted);
  if (used.test(around) || !lookedAt.test(around) || (around.match(word)?.length ?? 0) < MIN_WORDS) return [...signals];
  return signals.map((signal) => (isInside(signal) ? { ...signal, weight: signal.weight * MENTIONED } : signal));
}

const shareIn = ({ start, end }: Span, quoted: readonly Span[]): number =>
  quoted.reduce((sum, span) => sum + Math.max(0, Math.min(end, span.end) - Math.max(start, span.start)), 0) /
  (end - start);

function outside(text: string, quoted: readonly Span[]): string {
  let at = 0;
  const parts = quoted.map(({ start, end }) => {
    const part = text.slice(at, start);
    at = end;
    return part;
  });
  return [...parts, text.slice(at)].join(' \u2026 ');
}
