// system-prompt-scrubber: takes out of the model's stream and the final answer what they repeat of the run's own system messages,
// word for word or lightly changed.
import { defineProcessor, type CommonArgs, type MessageList } from '@millrace/processor';
import { judgeResult } from '../guard/judge-stages.ts';
import { judgeStream } from '../guard/judge-stream.ts';
import { createKeyedMap } from '../guard/keyed-values.ts';
import type { TextGuard } from '../guard/text-guard.ts';
import { compilePattern, weightOf } from '../text/linear-pattern.ts';
import { createTask, inlineCostOf } from '../work/task.ts';
import { leakRules, MARK, prepareLeaks } from './find-leaks.ts';
import { scrubberOptions, type ScrubberOptions } from './system-prompt-scrubber-options.ts';

/**
 * Compares what the model says with the system messages of its run, word by word, and takes out what repeats them. Case, accents, marks and
 * line breaks do not matter; two words may be left out in a row, and one at a time put in or replaced.
 *
 * @verdict continue: with what repeats a system message as [REDACTED], or (warn) left as it is
 * @verdict abort: strategy block, or a text that is more than can be judged
 * @verdict halt: the same, where `response` is set
 * @cannot Find what is told in other words, translated, or written in a code.
 * @cannot Find fewer than `minWords` words at a time.
 * @cannot Look for more than the first 32,768 characters of the system messages.
 * @example
 * output:
 *   - use: system-prompt-scrubber
 *     options: { minWords: 8, patterns: ["project [a-z]+bird"] }
 */
export const systemPromptScrubber = defineProcessor({
  id: 'system-prompt-scrubber',
  description: "Takes what repeats the run's own system messages out of the stream and the answer.",
  aliases: ['SystemPromptScrubber'],
  stages: ['processOutputStream', 'processOutputResult'],
  reads: ['system', 'response'],
  changes: { processOutputResult: { option: 'strategy', values: ['redact'] } },
  processDataParts: true,
  options: scrubberOptions,
  create(options) {
    /** A session has one list for all its chunks: its system messages are read once. */
    const guards = new WeakMap<MessageList, TextGuard>();
    const guardOf = ({ messageList }: CommonArgs & { messageList: MessageList }): TextGuard => {
      const known = guards.get(messageList);
      if (known) return known;
      const guard = createGuard(options, messageList.getAllSystemMessages().map(textOf));
      guards.set(messageList, guard);
      return guard;
    };
    return {
      id: 'system-prompt-scrubber',
      processOutputStream: (args) => judgeStream(guardOf(args), args),
      processOutputResult: (args) => judgeResult(guardOf(args), args, 'output'),
    };
  },
});

const textOf = ({ content }: { content: string }): string => content;

function createGuard({ strategy, response, minWords, patterns }: ScrubberOptions, system: string[]): TextGuard {
  const leaks = { system, minWords, patterns, redacts: strategy === 'redact' };
  const weight = weightOf(patterns.map(compilePattern));
  return {
    strategy,
    response,
    weight,
    describe: () => 'The system messages are repeated.',
    task: createTask('system-prompt-scrubber', prepareLeaks, leaks, inlineCostOf(weight)),
    rules: leakRules(leaks),
    mark: () => MARK,
    mapValue: createKeyedMap(() => false),
  };
}
