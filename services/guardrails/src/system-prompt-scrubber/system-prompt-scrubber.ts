// system-prompt-scrubber: takes out of the model's stream and the final answer what they repeat of the run's own system messages,
// word for word or lightly changed.
import { defineProcessor, mapStrings, type CommonArgs, type MessageList } from '@millrace/processor';
import { judgeResult } from '../guard/judge-stages.ts';
import { judgeStream } from '../guard/judge-stream.ts';
import type { TextGuard } from '../guard/text-guard.ts';
import { compilePattern, weightOf } from '../text/linear-pattern.ts';
import { createTask } from '../work/task.ts';
import { leakRules, MARK, prepareLeaks } from './find-leaks.ts';
import { scrubberOptions, type ScrubberOptions } from './system-prompt-scrubber-options.ts';

export const systemPromptScrubber = defineProcessor({
  id: 'system-prompt-scrubber',
  description: "Takes what repeats the run's own system messages out of the stream and the answer.",
  aliases: ['SystemPromptScrubber'],
  stages: ['processOutputStream', 'processOutputResult'],
  reads: ['system', 'response'],
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
    task: createTask('system-prompt-scrubber', prepareLeaks, leaks, weight),
    rules: leakRules(leaks),
    mark: () => MARK,
    mapValue: (value, map) => mapStrings(value, (text) => map(text)),
  };
}
