// Counts the tokens of the texts of a prompt. Each step of a run sends the results of the earlier steps again, so the counts of long texts are
// cached in the replica under the hash of the text.
import type { Prompt } from '@millrace/contracts';
import type { CommonArgs } from '@millrace/processor';
import { refuseUnjudged } from '../../guard/report.ts';
import { createAnswerCache, hashParts, type AnswerCache } from '../../model/answer-cache.ts';
import { sumLengths } from '../../work/bounds.ts';
import type { Task } from '../../work/task.ts';
import type { CountedText } from '../token-limiter/count-tokens.ts';
import { readPromptMessage } from '../token-limiter/message-units.ts';

export type PromptCounter = {
  /** Counts the texts that are not known. Throws (abort, halt) above a bound. */
  count(texts: readonly string[]): Promise<void>;
  /** Returns undefined for a text that was not counted. */
  find(text: string): CountedText | undefined;
  /** Counts the texts of each message. Throws (abort, halt) above a bound. */
  countMessages(prompt: Prompt): Promise<number[]>;
};

export type CountingTask = Pick<Task<CountedText>, 'run'> & {
  /** Differs if the counts of a text differ. */
  scope: string;
  /** Counts of long texts, by scope and text. */
  cache: AnswerCache;
};

/** Maximum cost of one job of a worker, in characters: a prompt may have more texts than the bound of a call. */
const MAX_BATCH = 1_048_576;
/** A shorter text is counted in the time of its hash. */
const MIN_CACHED = 1_024;
/** Numbers only, about 100 characters for each text. */
const CACHE_LIMITS = { maxEntries: 20_000, maxCharacters: 2_097_152, now: () => performance.now() };
/** One for the process, because the process shares its memory. */
export const countsOfReplica = createAnswerCache(CACHE_LIMITS);

export function createPromptCounter(task: CountingTask, args: CommonArgs, response?: string): PromptCounter {
  const known = new Map<string, CountedText>();
  const takeCached = (text: string): boolean => {
    const cached = text.length < MIN_CACHED ? undefined : task.cache.get(hashParts(task.scope, text), Infinity);
    if (cached === undefined) return false;
    const counted: CountedText = JSON.parse(cached);
    known.set(text, counted);
    return true;
  };
  const count = async (texts: readonly string[]) => {
    const unknown = [...new Set(texts)].filter((text) => !known.has(text) && !takeCached(text));
    for (const batch of splitBatches(unknown)) {
      const outcome = await task.run(batch, args.abortSignal);
      if ('exceeded' in outcome) return refuseUnjudged(args, response, outcome.exceeded);
      for (const [at, text] of batch.entries()) {
        const counted = outcome.found[at];
        if (!counted) continue;
        known.set(text, counted);
        if (text.length >= MIN_CACHED) task.cache.set(hashParts(task.scope, text), JSON.stringify(counted));
      }
    }
  };
  const sum = (texts: readonly string[]) => texts.reduce((all, text) => all + (known.get(text)?.tokens ?? 0), 0);
  return {
    count,
    find: (text) => known.get(text),
    async countMessages(prompt) {
      const texts = prompt.map((message) => readPromptMessage(message).texts);
      await count(texts.flat());
      return texts.map(sum);
    },
  };
}

function splitBatches(texts: readonly string[]): string[][] {
  const batches: string[][] = [];
  let left = 0;
  for (const text of texts) {
    const cost = sumLengths([text]);
    const batch = batches.at(-1);
    if (batch && cost <= left) batch.push(text);
    else {
      batches.push([text]);
      left = MAX_BATCH;
    }
    left -= cost;
  }
  return batches;
}
