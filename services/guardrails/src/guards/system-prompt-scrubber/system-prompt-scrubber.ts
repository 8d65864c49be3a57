// system-prompt-scrubber: removes exact and lightly changed copies of the run's system messages from the stream and the
// final answer.
import { defineProcessor, type CommonArgs, type MessageList } from '@millrace/processor';
import { judgeResult } from '../../guard/judge-stages.ts';
import { judgeStream } from '../../guard/judge-stream.ts';
import { createKeyedMap } from '../../guard/keyed-values.ts';
import { responseOption } from '../../guard/strategy-options.ts';
import type { TextGuard } from '../../guard/text-guard.ts';
import { boundPatterns, compilePattern, streamPatternSchema, weighPatterns } from '../../text/linear-pattern.ts';
import { createTask, getInlineCost } from '../../work/task.ts';
import { createLeakRules, MARK, leakTask } from './find-leaks.ts';
import { z } from 'zod';

const MAX_PATTERNS = 100;

const options = z
  .strictObject({
    strategy: z
      .enum(['redact', 'block', 'warn'])
      .default('redact')
      .describe('redact: replace each stretch by [REDACTED]. block: stop the run. warn: report only.'),
    minWords: z.int().min(3).max(40).default(6).describe('Minimum number of matching words, in order, in a stretch.'),
    patterns: z
      .array(streamPatternSchema)
      .max(MAX_PATTERNS)
      .default([])
      .describe(
        'Regular expressions (RE2) of further confidential text, such as code names. A match has at most 512 characters.',
      ),
    response: responseOption,
  })
  .superRefine(boundPatterns('patterns', ({ patterns }) => patterns));
type ScrubberOptions = z.output<typeof options>;

/**
 * Compares the answer word by word with the system messages of its run and redacts the parts that repeat them. It
 * ignores case, accents, punctuation and line breaks, and tolerates two omitted words in a row and one inserted or
 * replaced word at a time.
 *
 * @verdict continue: with repeated parts as [REDACTED], or (warn) unchanged
 * @verdict abort: strategy block, or a text that exceeds a bound
 * @verdict halt: the same, if `response` is set
 * @cannot Find a paraphrase, a translation or an encoding of the prompt.
 * @cannot Find fewer than `minWords` words in a row.
 * @cannot Search the system messages beyond 32,768 characters.
 * @example
 * output:
 *   - use: system-prompt-scrubber
 *     options: { minWords: 8, patterns: ["project [a-z]+bird"] }
 */
export const systemPromptScrubber = defineProcessor({
  id: 'system-prompt-scrubber',
  description: "Removes copies of the run's system messages from the stream and the answer.",
  aliases: ['SystemPromptScrubber'],
  stages: ['processOutputStream', 'processOutputResult'],
  reads: ['system', 'response'],
  changes: { processOutputResult: { option: 'strategy', values: ['redact'] } },
  processDataParts: true,
  options,
  create(given) {
    /** Cache by message list: all chunks of a session share one, so the system messages are indexed once. */
    const guards = new WeakMap<MessageList, TextGuard>();
    const buildGuard = ({ messageList }: CommonArgs & { messageList: MessageList }): TextGuard => {
      const known = guards.get(messageList);
      if (known) return known;
      const guard = createGuard(given, messageList.getAllSystemMessages().map(readContent));
      guards.set(messageList, guard);
      return guard;
    };
    return {
      id: 'system-prompt-scrubber',
      processOutputStream: (args) => judgeStream(buildGuard(args), args),
      processOutputResult: (args) => judgeResult(buildGuard(args), args, 'output'),
    };
  },
});

const readContent = ({ content }: { content: string }): string => content;

function createGuard({ strategy, response, minWords, patterns }: ScrubberOptions, system: string[]): TextGuard {
  const leaks = { system, minWords, patterns, redacts: strategy === 'redact' };
  const weight = weighPatterns(patterns.map(compilePattern));
  return {
    strategy,
    response,
    weight,
    describe: () => 'The answer repeats the system messages.',
    task: createTask(leakTask, leaks, getInlineCost(weight)),
    rules: createLeakRules(leaks),
    mark: () => MARK,
    mapValue: createKeyedMap(() => false),
  };
}
