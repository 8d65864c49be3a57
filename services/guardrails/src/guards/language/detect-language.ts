// Detects the languages of a text with eld, part by part, so that a beginning in one language cannot hide a rest in
// another.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { sliceText } from '../../text/span.ts';

/** Length of a part that eld reads, in code units. */
const STRETCH = 1_000;
/** Parts per turn of the event loop. A part takes about 1 ms, and twice as long in the first calls of a process. */
const STRETCHES_PER_TURN = 2;
/** Maximum length of a word, because eld takes quadratic time per word; a longer word is split. */
const MAX_WORD = 32;
/** Maximum difference between equally likely languages, because eld distinguishes close relatives by chance. */
const MARGIN = 0.05;

/**
 * Languages of one part: ISO 639-1 codes, the likeliest first; empty if the part is too short, undecided or in no
 * language.
 */
type DetectedLanguages = { languages: string[]; score: number };
type DetectStretch = (stretch: string) => DetectedLanguages;

const UNDECIDED: DetectedLanguages = { languages: [], score: 0 };

export type LanguageDetectOptions = {
  /** Minimum score of a decision, 0 to 1. */
  threshold: number;
  /** Minimum number of letters of a decided part. */
  minLength: number;
};

/** Detects the languages of each part of the text. */
export async function detectLanguages(
  text: string,
  { threshold, minLength }: LanguageDetectOptions,
  signal: AbortSignal,
): Promise<DetectedLanguages[]> {
  const detect = await getDetector();
  const detected: DetectedLanguages[] = [];
  for (const stretch of sliceText(text, STRETCH)) {
    const plain = extractPlainWords(stretch);
    const found = countLetters(plain) < minLength ? UNDECIDED : detect(plain);
    detected.push(found.score >= threshold ? found : UNDECIDED);
    if (detected.length % STRETCHES_PER_TURN === 0) await nextTurn();
    signal.throwIfAborted();
  }
  return detected;
}

let loading: Promise<DetectStretch> | undefined;

/**
 * Loads the statistics once per process. Loading blocks the event loop for up to 0.4 s, so a replica loads them before
 * it serves a processor that needs them.
 */
export async function loadLanguages(): Promise<void> {
  await getDetector();
}

/** Whether the statistics are loaded, so that no call waits for them. */
export const areLanguagesLoaded = (): boolean => isLoaded;

let isLoaded = false;
const getDetector = (): Promise<DetectStretch> => (loading ??= load());

async function load(): Promise<DetectStretch> {
  const { eld } = await import('eld/small');
  isLoaded = true;
  return (stretch) => {
    const found = eld.detect(stretch);
    if (!found.isReliable()) return UNDECIDED;
    const ranked = Object.entries(found.getScores()).toSorted(([, one], [, other]) => other - one);
    const score = ranked[0]?.[1] ?? 0;
    return { score, languages: ranked.filter(([, own]) => own >= score - MARGIN).map(([language]) => language) };
  };
}

/** Removes addresses, which belong to no language. */
const extractPlainWords = (stretch: string): string =>
  stretch
    .toWellFormed()
    .split(/\s+/)
    .filter((word) => !isAddress.test(word))
    .flatMap((word) => [...sliceText(word, MAX_WORD)])
    .join(' ');
const isAddress = /@|:\/\/|^www\.|\p{L}\.\p{L}/u;

const countLetters = (stretch: string): number => stretch.match(/\p{L}/gu)?.length ?? 0;
