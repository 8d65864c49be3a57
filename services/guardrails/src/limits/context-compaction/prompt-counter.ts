// Counts the tokens of the texts of a prompt in one call. A text that several versions of the prompt share is counted once.
import type { Prompt } from '@millrace/contracts';
import type { CommonArgs } from '@millrace/processor';
import { refuseUnjudged } from '../../guard/report.ts';
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

export function createPromptCounter(task: Task<CountedText>, args: CommonArgs, response?: string): PromptCounter {
  const known = new Map<string, CountedText>();
  const count = async (texts: readonly string[]) => {
    const unknown = [...new Set(texts)].filter((text) => !known.has(text));
    if (unknown.length === 0) return;
    const outcome = await task.run(unknown, args.abortSignal);
    if ('exceeded' in outcome) return refuseUnjudged(args, response, outcome.exceeded);
    for (const [at, text] of unknown.entries()) {
      const counted = outcome.found[at];
      if (counted) known.set(text, counted);
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
