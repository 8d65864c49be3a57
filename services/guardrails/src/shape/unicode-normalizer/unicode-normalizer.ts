// unicode-normalizer: normalizes the caller's texts before other guards judge them, so that they judge the text that
// the model reads.
import type { Message } from '@millrace/contracts';
import { defineProcessor, mapTexts, listTexts, type ProcessInputArgs } from '@millrace/processor';
import { z } from 'zod';
import { mapMessage } from '../../guard/message-values.ts';
import { refuseUnjudged } from '../../guard/report.ts';
import { createTask, type Task } from '../../work/task.ts';
import { normalizingTask, type NormalizeOptions } from './normalize-text.ts';

const options = z.strictObject({
  stripControlChars: z.boolean().default(true).describe('Remove control characters except white space.'),
  preserveEmojis: z.boolean().default(true).describe('Keep joiners and variation selectors inside emoji.'),
  compatibility: z
    .boolean()
    .default(false)
    .describe('Normalize to NFKC instead of NFC: full-width letters, ligatures, `x²` and `…` become plain characters.'),
  collapseWhitespace: z
    .boolean()
    .default(false)
    .describe(
      'Replace runs of white space by one space, with at most one empty line. Applies to texts, not to arguments and results of tools.',
    ),
  trim: z.boolean().default(false).describe('Remove white space at both ends of a text.'),
});

/**
 * Removes characters that hide text from the caller's texts (zero-width, bidirectional, tag and control characters) and
 * normalizes them to NFC, so that the model and the store receive no text that a person cannot see. All other characters stay:
 * indentation, line breaks, punctuation, and the joiners that a script needs (Persian, Indic scripts, emoji). The guards undo
 * disguises of their own accord, with or without this processor. NFKC (`compatibility`), collapsed white space and trimming are
 * options, for a model or a store that needs one form.
 *
 * @verdict continue: with the normalized messages, if they differ
 * @verdict abort: a text that is too long to be normalized, or has too many combining marks in a row
 * @cannot Fold similar letters of other alphabets, or digits used as letters: prompt-injection does that for its own
 * detection.
 * @cannot Preserve variation selectors of ideographs, and marks of direction in Hebrew and Arabic texts: they can hide text.
 * @cannot Process tool results and answers: it receives only the caller's messages.
 * @example
 * input:
 *   - use: unicode-normalizer
 *     options: { compatibility: true }
 *   - prompt-injection
 */
export const unicodeNormalizer = defineProcessor({
  id: 'unicode-normalizer',
  description: "Removes hidden characters from the caller's texts and normalizes them (NFC).",
  aliases: ['UnicodeNormalizer'],
  stages: ['processInput'],
  positions: { input: 100 },
  judgesText: true,
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

type NormalizedKind = 'text' | 'data';
type NormalizerGuard = Record<NormalizedKind, Task<string>>;

/** Arguments and results of tools keep their white space, because it is significant in code, paths and tables. */
function createGuard(chosen: NormalizeOptions): NormalizerGuard {
  return {
    text: createTask(normalizingTask, chosen),
    data: createTask(normalizingTask, { ...chosen, collapseWhitespace: false, trim: false }),
  };
}

async function normalizeInput(guard: NormalizerGuard, args: ProcessInputArgs): Promise<void> {
  const { messageList } = args;
  const messages = messageList.get.input.db();
  const normal = {
    text: await normalizeMessage(guard, 'text', messages, args),
    data: await normalizeMessage(guard, 'data', messages, args),
  };
  for (const message of messages) {
    const judged = mapMessage(message, (value, kind) => mapTexts(value, (text) => normal[kind].get(text) ?? text));
    if (judged !== message) messageList.replace(judged);
  }
}

/** Returns the normal form of each text of a kind. */
async function normalizeMessage(
  guard: NormalizerGuard,
  kind: NormalizedKind,
  messages: readonly Message[],
  args: ProcessInputArgs,
): Promise<Map<string, string>> {
  const texts: string[] = [];
  for (const message of messages) {
    mapMessage(message, (value, its) => {
      if (its === kind) for (const text of listTexts(value)) texts.push(text);
      return value;
    });
  }
  const outcome = await guard[kind].run(texts, args.abortSignal);
  if ('exceeded' in outcome) return refuseUnjudged(args, undefined, outcome.exceeded);
  return new Map(texts.map((text, at) => [text, outcome.found[at] ?? text]));
}
