// unicode-normalizer: what a caller sent, as it reads. It stands before other guards, so that they judge what the model will see.
import type { Message } from '@millrace/contracts';
import { defineProcessor, mapStrings, stringsOf, type ProcessInputArgs } from '@millrace/processor';
import { z } from 'zod';
import { mapMessage } from '../guard/message-values.ts';
import { refuseUnjudged } from '../guard/report.ts';
import { createTask, type Task } from '../work/task.ts';
import { prepareNormalizing, type NormalizeOptions } from './normalize-text.ts';

const options = z.strictObject({
  stripControlChars: z.boolean().default(false).describe('remove control characters but line breaks and tabs'),
  preserveEmojis: z.boolean().default(true).describe('keep joiners and variation selectors inside emoji'),
  collapseWhitespace: z
    .boolean()
    .default(true)
    .describe('one space for many, at most one empty line; in texts, not in the arguments and results of tools'),
  trim: z.boolean().default(true).describe('no white space at either end of a text'),
});

/**
 * Puts what the caller sent into one form (NFKC) and takes out what nobody sees: zero-width, bidirectional and tag characters. It
 * belongs before other guards, so that they judge what the model will read.
 *
 * @verdict continue: with the messages in their normal form, where that differs
 * @verdict abort: a text that is too long, or has too many combining marks in a row, to be normalized
 * @cannot Fold letters of other alphabets that look alike, or digits that stand for letters: that is what prompt-injection does for itself.
 * @cannot Keep the non-joiners that Persian and others write with.
 * @cannot See tool results and answers: it has the caller's messages alone.
 * @example
 * input:
 *   - use: unicode-normalizer
 *     options: { stripControlChars: true }
 *   - prompt-injection
 */
export const unicodeNormalizer = defineProcessor({
  id: 'unicode-normalizer',
  description: 'Normalizes the text of what the caller sends (NFKC) and removes invisible characters.',
  aliases: ['UnicodeNormalizer'],
  stages: ['processInput'],
  reads: ['input'],
  options,
  create(chosen) {
    const guard = createGuard(chosen);
    return {
      id: 'unicode-normalizer',
      processInput: (args) => normalizeInput(guard, args),
    };
  },
});

type Kind = 'text' | 'data';
type NormalizerGuard = Record<Kind, Task<string>>;

/** White space means something in what a tool was given or gave back: code, a path, a table. */
function createGuard(chosen: NormalizeOptions): NormalizerGuard {
  return {
    text: createTask('unicode-normalizer', prepareNormalizing, chosen),
    data: createTask('unicode-normalizer', prepareNormalizing, { ...chosen, collapseWhitespace: false, trim: false }),
  };
}

async function normalizeInput(guard: NormalizerGuard, args: ProcessInputArgs): Promise<void> {
  const { messageList } = args;
  const messages = messageList.get.input.db();
  const normal = {
    text: await normalized(guard, 'text', messages, args),
    data: await normalized(guard, 'data', messages, args),
  };
  for (const message of messages) {
    const judged = mapMessage(message, (value, kind) => mapStrings(value, (text) => normal[kind].get(text) ?? text));
    if (judged !== message) messageList.replace(judged);
  }
}

/** The normal form of each text of a kind. */
async function normalized(
  guard: NormalizerGuard,
  kind: Kind,
  messages: readonly Message[],
  args: ProcessInputArgs,
): Promise<Map<string, string>> {
  const texts: string[] = [];
  for (const message of messages) {
    mapMessage(message, (value, its) => {
      if (its === kind) texts.push(...stringsOf(value));
      return value;
    });
  }
  const outcome = await guard[kind].run(texts, args.abortSignal);
  if ('exceeded' in outcome) return refuseUnjudged(args, undefined, outcome.exceeded);
  return new Map(texts.map((text, at) => [text, outcome.found[at] ?? text]));
}
