// Which languages a text is in, by eld: stretch by stretch, so that nothing hides behind a beginning in another language.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { slicesOf } from '../text/span.ts';

/** What eld reads of a text, code units. */
const STRETCH = 1_000;
/** Stretches between two turns of the event loop, about 1 ms each, and twice that in the first calls of a process. */
const STRETCHES_PER_TURN = 2;
/** eld takes quadratic time for a word: a longer one is several. */
const MAX_WORD = 32;
/** Close relatives are told apart by chance: a language this much behind the first is as likely. */
const MARGIN = 0.05;

/** One stretch. `languages`: ISO 639-1, the likeliest first; none where it is too short, no language, or undecided. */
type Detected = { languages: string[]; score: number };
type DetectStretch = (stretch: string) => Detected;

const UNDECIDED: Detected = { languages: [], score: 0 };

export type DetectOptions = {
  /** Below it nothing is decided, 0 to 1. */
  threshold: number;
  /** A stretch with fewer letters is not decided. */
  minLength: number;
};

/** For each stretch of the text. */
export async function detectLanguages(
  text: string,
  { threshold, minLength }: DetectOptions,
  signal: AbortSignal,
): Promise<Detected[]> {
  const detect = await detector();
  const detected: Detected[] = [];
  for (const stretch of slicesOf(text, STRETCH)) {
    const plain = plainWords(stretch);
    const found = lettersOf(plain) < minLength ? UNDECIDED : detect(plain);
    detected.push(found.score >= threshold ? found : UNDECIDED);
    if (detected.length % STRETCHES_PER_TURN === 0) await nextTurn();
    signal.throwIfAborted();
  }
  return detected;
}

let loading: Promise<DetectStretch> | undefined;

/** Loads the statistics once a process: up to 0.4 s in which no other run goes on, so a replica that serves who asks for it does it before. */
export async function loadLanguages(): Promise<void> {
  await detector();
}

/** Whether no call has to wait for that any more. */
export const areLanguagesLoaded = (): boolean => isLoaded;

let isLoaded = false;
const detector = (): Promise<DetectStretch> => (loading ??= load());

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

/** Without addresses, which are in no language. */
const plainWords = (stretch: string): string =>
  stretch
    .toWellFormed()
    .split(/\s+/)
    .filter((word) => !isAddress.test(word))
    .flatMap((word) => [...slicesOf(word, MAX_WORD)])
    .join(' ');
const isAddress = /@|:\/\/|^www\.|\p{L}\.\p{L}/u;

const lettersOf = (stretch: string): number => stretch.match(/\p{L}/gu)?.length ?? 0;
