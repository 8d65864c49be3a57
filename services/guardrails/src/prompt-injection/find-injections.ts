// All that is found in a text: by phrases, roles and delimiters on the text as it reads, and by the same on whatever it says in
// another code, nested twice.
import { createCounter } from '../guard/bounds.ts';
import type { Hit } from '../guard/report.ts';
import { fold } from '../text/fold.ts';
import { compilePattern } from '../text/linear-pattern.ts';
import type { Span } from '../text/span.ts';
import type { PrepareJudge } from '../work/task-outcome.ts';
import { decodingsOf, type Codec } from './decodings.ts';
import { replacing, type DerivedText } from './derived-text.ts';
import { DELIMITER_RULES, ROLE_RULES, type MarkupRule } from './markup-rules.ts';
import { LISTS, PHRASE_GROUPS } from './phrase-groups.ts';
import { compileGroup } from './phrase-notation.ts';
import { wordView } from './word-view.ts';

export const LAYERS = ['phrases', 'role', 'delimiters', 'encoding'] as const;
export type Layer = (typeof LAYERS)[number];
/** `codecs`: the codes it was found in, from the outside in. */
export type Finding = Span & { layer: Layer | 'configured'; rule: string; codecs?: Codec[] };
export type FinderOptions = { layers: readonly Layer[]; phrases: readonly string[]; patterns: readonly string[] };

/** Enough to judge by; what is cut out is looked at again. */
const MAX_FINDINGS = 100;
/** A code within a code. */
const MAX_DEPTH = 2;

const anyGroup = PHRASE_GROUPS.map((group, at) => `(?<g${at}>${compileGroup(group, LISTS)})`).join('|');
const groups = new RegExp(`(?<= )(?:${anyGroup})`, 'g');
const invisible = /\p{Default_Ignorable_Code_Point}+/gu;
const plainLayers: readonly Layer[] = ['phrases', 'role', 'delimiters'];

/** @param count called for every decoding that is judged; throws where there are too many */
type Finder = (text: string, count?: () => void) => Finding[];
type Find = (text: string, layers: readonly Layer[]) => Finding[];

/** One list for each text, in the order of their start. Layer and codes are detail: they tell how to get round the guard. */
export const prepareInjections: PrepareJudge<FinderOptions, Hit[]> = (options) => {
  const find = createFinder(options);
  return (texts) => {
    const count = createCounter('decodings');
    return texts.map((text) =>
      find(text, count).map(({ rule, start, end, ...detail }) => ({ rule, start, end, detail: { ...detail } })),
    );
  };
};

/** Of the same stretch, plain ones only. */
export function createFinder({ layers, phrases, patterns }: FinderOptions): Finder {
  const findConfigured = createConfiguredFinder(phrases, patterns);
  const findPlain: Find = (text, chosen) => {
    const visible = replacing(text, invisible, () => '');
    const folded = fold(visible.text);
    const found = [
      ...(chosen.includes('phrases') ? findPhrases(visible.text) : []),
      ...(chosen.includes('role') ? findMarkup('role', ROLE_RULES, folded) : []),
      ...(chosen.includes('delimiters') ? findMarkup('delimiters', DELIMITER_RULES, folded) : []),
      ...findConfigured(visible.text),
    ];
    return found.slice(0, MAX_FINDINGS).map((finding) => ({ ...finding, ...visible.spanOf(finding) }));
  };
  return (text, count = createCounter('decodings')) => {
    const plain = findPlain(text, plainLayers);
    const wanted = plain.filter(({ layer }) => layer === 'configured' || layers.includes(layer));
    const encoded = layers.includes('encoding') ? findEncoded(text, findPlain, count, MAX_DEPTH) : [];
    const hidden = encoded.filter(
      (finding) => !plain.some((other) => other.start < finding.end && finding.start < other.end),
    );
    return [...wanted, ...hidden].toSorted((a, b) => a.start - b.start).slice(0, MAX_FINDINGS);
  };
}

function findPhrases(text: string): Finding[] {
  const view = wordView(text);
  return matches(view.text, groups).map((match) => {
    const group = Object.entries(match.groups ?? {}).find(([, found]) => found !== undefined)?.[0] ?? '';
    return { layer: 'phrases', rule: PHRASE_GROUPS[Number(group.slice(1))]?.id ?? '', ...spanIn(view, match) };
  });
}

function findMarkup(layer: 'role' | 'delimiters', rules: readonly MarkupRule[], folded: string): Finding[] {
  return rules.flatMap(({ id, pattern, unlessOpened }) =>
    matches(folded, pattern)
      .filter((match) => !unlessOpened?.(match[1] ?? '').test(folded.slice(0, match.index)))
      .map((match) => ({ layer, rule: id, start: match.index, end: match.index + match[0].length })),
  );
}

function createConfiguredFinder(phrases: readonly string[], patterns: readonly string[]): (text: string) => Finding[] {
  const words = phrases.map((phrase) => wordView(phrase).text.trim()).filter((phrase) => phrase !== '');
  const anyPhrase = words.length > 0 ? new RegExp(`(?<= )(?:${words.join('|')}) `, 'g') : undefined;
  const compiled = patterns.map(compilePattern);
  return (text) => {
    const view = anyPhrase && wordView(text);
    const inWords = view
      ? matches(view.text, anyPhrase).map((match) => ({ rule: 'phrase', ...spanIn(view, match) }))
      : [];
    const inText = compiled.flatMap((pattern) => pattern.find(text).map((span) => ({ rule: 'pattern', ...span })));
    return [...inWords, ...inText].map((finding) => ({ layer: 'configured', ...finding }));
  };
}

function findEncoded(text: string, findPlain: Find, count: () => void, depth: number, outer?: Codec): Finding[] {
  return decodingsOf(text).flatMap((decoding) => {
    count();
    if (decoding.codec === 'rot13' && outer === 'rot13') return [];
    const inside = [
      ...findPlain(decoding.text, plainLayers),
      ...(depth > 1 ? findEncoded(decoding.text, findPlain, count, depth - 1, decoding.codec) : []),
    ];
    return inside.map(({ rule, start, end, codecs = [] }) => ({
      layer: 'encoding' as const,
      rule,
      codecs: [decoding.codec, ...codecs],
      ...decoding.spanOf({ start, end }),
    }));
  });
}

const spanIn = (view: DerivedText, match: RegExpExecArray): Span =>
  view.spanOf({ start: match.index, end: match.index + match[0].length });

function matches(text: string, pattern: RegExp): RegExpExecArray[] {
  const found: RegExpExecArray[] = [];
  for (const match of text.matchAll(pattern)) if (found.push(match) >= MAX_FINDINGS) break;
  return found;
}
