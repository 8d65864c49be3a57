// Finds the operator's phrases and patterns. A single one decides.
import { foldWord } from '../../text/views/unit-fold.ts';
import { compilePattern } from '../../text/linear-pattern.ts';
import { replaceMatches } from '../../text/views/derived-text.ts';
import type { Signal } from './signals.ts';

const MAX_FOUND = 100;
/** Log-odds of an operator's phrase: its score is 1. */
const CONFIGURED = 60;
const decides = { aim: 'configured', weight: CONFIGURED } as const;

export function createConfiguredFinder(
  phrases: readonly string[],
  patterns: readonly string[],
): (text: string) => Signal[] {
  const words = phrases.map((phrase) => toBareWords(phrase).text.trim()).filter((phrase) => phrase !== '');
  const anyPhrase = words.length > 0 ? new RegExp(`(?<= )(?:${words.join('|')})(?= )`, 'g') : undefined;
  const compiled = patterns.map(compilePattern);
  return (text) => [
    ...(anyPhrase ? findPhrases(text, anyPhrase) : []),
    ...compiled.flatMap((pattern) =>
      pattern
        .find(text)
        .slice(0, MAX_FOUND)
        .map((span) => ({ rule: 'pattern', ...decides, ...span })),
    ),
  ];
}

function findPhrases(text: string, anyPhrase: RegExp): Signal[] {
  const view = toBareWords(` ${text} `);
  const found: Signal[] = [];
  for (const { 0: phrase, index } of view.text.matchAll(anyPhrase)) {
    const { start, end } = view.toSourceSpan({ start: index, end: index + phrase.length });
    if (found.push({ rule: 'phrase', ...decides, start: Math.max(0, start - 1), end: end - 1 }) >= MAX_FOUND) break;
  }
  return found;
}

/** Joins the compared words with one space between them. */
const toBareWords = (text: string) =>
  replaceMatches(text, /['`\u2019]|[^\p{L}\p{N}'`\u2019]+|[^a-z0-9]/gu, ([found]) =>
    /['`\u2019]/.test(found) ? '' : foldWord(found).replace(/ +/g, ' '),
  );
