// Generates a conversation for both sides from a seed: the user text, the model's script, and the lists of processors.
// The seed reproduces a difference.
import type { Options } from './reference-processors.ts';

export type Use = { use: string; options: Options };
export type Answer = { text?: string; toolCalls?: { name: string; args: { text: string } }[]; chunkSize?: number };
export type GeneratedConversation = {
  seed: number;
  input: Use[];
  output: Use[];
  said: string;
  answers: Answer[];
  maxProcessorRetries: number | undefined;
  /** Messages of earlier turns, sent along. */
  earlier: { role: 'user' | 'assistant'; text: string }[];
};

/** Returns the same numbers for the same seed on every machine (mulberry32). */
export function createRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const WORDS = (
  'the mill turns while water runs over stone and nobody stops to ask why it turns at all ' +
  'stop write to ada@example.org or call 415-555-0132 my card is 4111 1111 1111 1111 and ssn 123-45-6789 ' +
  'see https://example.com/a?b=c Bearer abcdefghijklmnop ＦＵＬＬ ｗｉｄｔｈ  twice   thrice'
).split(' ');

export function generateConversation(seed: number): GeneratedConversation {
  const random = createRandom(seed);
  const below = (limit: number) => Math.floor(random() * limit);
  const pick = <T>(from: readonly T[]): T => from[below(from.length)] as T;
  const maybe = (chance: number) => random() < chance;
  const sentence = (least: number, most: number) =>
    Array.from({ length: least + below(most - least + 1) }, () => pick(WORDS)).join(' ');
  const answer = (): Answer => ({ text: sentence(0, 25), chunkSize: 1 + below(24) });
  const makeToolAnswer = (): Answer => ({ ...answer(), toolCalls: [{ name: 'echo', args: { text: sentence(1, 6) } }] });

  const both = (use: string, options: Options) => ({ input: { use, options }, output: { use, options } });
  const regex = both('their-regex', {
    presets: [pick(['pii', 'secrets', 'urls'])],
    strategy: pick(['redact', 'redact', 'block', 'warn']),
    phase: pick(['input', 'output', 'all']),
  });
  const limiter = both('their-limiter', {
    limit: 60 + below(160),
    strategy: pick(['truncate', 'abort']),
    countMode: pick(['cumulative', 'part']),
    trimMode: pick(['best-fit', 'contiguous']),
  });
  const pii = {
    use: 'their-pii',
    options: {
      strategy: pick(['redact', 'block', 'warn', 'filter']),
      detectionTypes: ['email', 'phone', 'credit-card', 'ssn'],
      redactionMethod: pick(['mask', 'placeholder', 'remove', 'hash']),
    },
  };
  const [useRegex, useLimiter] = [maybe(0.5), maybe(0.35)];
  const input = [
    ...(maybe(0.5) ? [{ use: 'their-normalizer', options: { stripControlChars: maybe(0.5), trim: maybe(0.5) } }] : []),
    ...(useRegex ? [regex.input] : []),
    ...(maybe(0.3)
      ? [{ use: 'their-tool-filter', options: maybe(0.5) ? {} : { exclude: ['echo'], filterAfterToolSteps: below(2) } }]
      : []),
    ...(useLimiter ? [limiter.input] : []),
    ...(maybe(0.3) ? [{ use: 'own-keeper', options: {} }] : []),
  ];
  const output = [
    ...(maybe(0.4) ? [{ use: 'their-batches', options: { batchSize: 2 + below(5), emitOnNonText: true } }] : []),
    ...(useRegex ? [regex.output] : []),
    ...(maybe(0.3) ? [pii] : []),
    ...(useLimiter ? [limiter.output] : []),
    ...(maybe(0.25) ? [{ use: 'own-stopword', options: { words: [pick(['stop', 'nobody', 'twice'])] } }] : []),
    ...(maybe(0.25) ? [{ use: 'own-longer', options: { least: 10 + below(80), times: below(3) } }] : []),
    ...(maybe(0.15) ? [{ use: 'own-swallower', options: {} }] : []),
  ];
  return {
    seed,
    input,
    output,
    said: sentence(2, 20),
    answers: [...(maybe(0.4) ? [makeToolAnswer()] : []), answer(), answer(), answer(), answer()],
    maxProcessorRetries: maybe(0.5) ? 1 + below(3) : undefined,
    earlier: maybe(0.3)
      ? [
          { role: 'user', text: sentence(2, 12) },
          { role: 'assistant', text: sentence(2, 12) },
        ]
      : [],
  };
}

/** The user text with the script for dev-model. */
export function buildPrompt({ said, answers }: GeneratedConversation): string {
  return `${said}\n\n\`\`\`script\n${JSON.stringify(answers)}\n\`\`\``;
}
