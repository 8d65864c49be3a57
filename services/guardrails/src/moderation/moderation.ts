// moderation: whether what the caller sends and what the model answers is hateful, violent, sexual, … A model judges, one call for
// each message and each window of the stream; or a list of words, which is no more than that.
import { MODEL_TIMEOUT_MS, defineProcessor, type Processor, type ProcessorDefinition } from '@millrace/processor';
import { judgeInput, judgeResult } from '../guard/judge-stages.ts';
import { judgeStream } from '../guard/judge-stream.ts';
import type { GuardModels } from '../model/guard-models.ts';
import { createModelJudge } from '../model/model-judge.ts';
import { createTask } from '../work/task.ts';
import { moderateResult, moderateStream } from './moderate-answer.ts';
import { moderateInput } from './moderate-messages.ts';
import { prepareWords, wordGuard } from './moderate-words.ts';
import { moderationOptions, type ModerationOptions } from './moderation-options.ts';
import { moderationQuestion } from './moderation-question.ts';

/**
 * A model judges each message of the caller and each window of the answer, in one call each: a window is held back until it was judged,
 * so that no client sees what is refused. With `mode: words` no model is needed, and swear words are all that is found.
 *
 * @verdict continue: nothing reached the threshold, or strategy warn; with filter, what is left
 * @verdict abort: strategy block, or a text that is more than can be judged
 * @verdict halt: the same, where `response` is set
 * @verdict failure: the model cannot be asked, or does not answer as it should
 * @cannot Judge better than its model; scores of two models do not compare.
 * @cannot Find what is spread over windows that are each harmless, beyond the context that a window is judged with.
 * @cannot See tool results.
 * @example
 * input:
 *   - use: moderation
 *     options: { model: openai/gpt-5-mini, threshold: 0.7 }
 * output:
 *   - use: moderation
 *     options: { mode: words, strategy: filter }
 */
export const moderation = (models: GuardModels): ProcessorDefinition =>
  defineProcessor({
    id: 'moderation',
    description:
      'Judges input and answer by a model for hate, violence, sex and the like, or by a list of swear words.',
    aliases: ['ModerationProcessor'],
    stages: ['processInput', 'processOutputStream', 'processOutputResult'],
    reads: ['input', 'response'],
    changes: {
      processInput: { option: 'strategy', values: ['filter'] },
      processOutputResult: { option: 'strategy', values: ['filter'] },
    },
    policy: { timeoutMs: MODEL_TIMEOUT_MS },
    options: moderationOptions,
    create: (options) =>
      options.model === undefined || options.mode === 'words'
        ? byWords(options)
        : byModel(models, options, options.model),
  });

function byWords(options: ModerationOptions): Processor {
  const guard = wordGuard(options);
  return {
    id: 'moderation',
    processInput: (args) => judgeInput(guard, args),
    processOutputStream: (args) => judgeStream(guard, args),
    processOutputResult: (args) => judgeResult(guard, args),
  };
}

function byModel(models: GuardModels, options: ModerationOptions, model: string): Processor {
  const { categories, modelTimeoutMs: timeoutMs, words } = options;
  const guard = {
    ...options,
    judge: createModelJudge({ models, model, timeoutMs, question: moderationQuestion(categories) }),
    words: createTask('moderation', prepareWords, { words }),
  };
  return {
    id: 'moderation',
    processInput: (args) => moderateInput(guard, args),
    processOutputStream: (args) => moderateStream(guard, args),
    processOutputResult: (args) => moderateResult(guard, args),
  };
}
