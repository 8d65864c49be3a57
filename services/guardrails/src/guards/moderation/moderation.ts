// moderation: detects hateful, violent or sexual content and the like in input and answer. A model judges each message
// and each window of the stream in one call; or a word list finds swear words only.
import {
  MODEL_TIMEOUT_MS,
  defineProcessor,
  type Processor,
  type ProcessorDefinition,
  type ProcessInputArgs,
} from '@millrace/processor';
import { judgeInput, judgeResult } from '../../guard/judge-stages.ts';
import { judgeStream } from '../../guard/judge-stream.ts';
import type { GuardModels } from '../../model/guard-models.ts';
import { judgeAnswerResult, judgeAnswerStream } from '../../model/judge-answer.ts';
import { createModelJudge } from '../../model/model-judge.ts';
import { modelPolicy } from '../../model/model-options.ts';
import { isFlagged } from '../../model/score-texts.ts';
import { createTask } from '../../work/task.ts';
import { wordTask, createWordGuard } from './moderate-words.ts';
import { moderationOptions, type ModerationOptions } from './moderation-options.ts';
import { createModerationQuestion } from './moderation-question.ts';
import { joinMessageTexts } from '../../guard/message-values.ts';
import { createAnswerModeration, moderateTexts, type ModelModeration } from './model-verdicts.ts';

/**
 * Calls the model once for each message of the caller and for each window of the answer. It buffers a window until the
 * model has judged it, so that no client receives rejected text. With `mode: words` it needs no model and finds only
 * swear words.
 *
 * @verdict continue: no score reached the threshold, or strategy warn; with filter, the rest
 * @verdict abort: strategy block, or a text that exceeds a bound
 * @verdict halt: the same, if `response` is set
 * @verdict failure: the model is unavailable or returns an invalid answer
 * @cannot Judge better than its model. Scores of two models are not comparable.
 * @cannot Find content that spans several harmless windows, beyond the context of a window.
 * @cannot Judge tool results.
 * @example
 * input:
 *   - use: moderation
 *     options: { model: openai/gpt-5-mini, threshold: 0.7 }
 * output:
 *   - use: moderation
 *     options: { mode: words, strategy: filter }
 */
export const defineModeration = (models: GuardModels): ProcessorDefinition =>
  defineProcessor({
    id: 'moderation',
    description:
      'Judges input and answer for hate, violence, sex and the like with a model, or with a list of swear words.',
    aliases: ['ModerationProcessor'],
    stages: ['processInput', 'processOutputStream', 'processOutputResult'],
    positions: { input: 140, output: 140 },
    judgesText: true,
    reads: ['input', 'response'],
    changes: {
      processInput: { option: 'strategy', values: ['filter'] },
      processOutputResult: { option: 'strategy', values: ['filter'] },
    },
    policy: { ...modelPolicy, timeoutMs: MODEL_TIMEOUT_MS },
    options: moderationOptions,
    create: (options) =>
      options.model === undefined || options.mode === 'words'
        ? createWordProcessor(options)
        : createModelProcessor(models, options, options.model),
  });

function createWordProcessor(options: ModerationOptions): Processor {
  const guard = createWordGuard(options);
  return {
    id: 'moderation',
    processInput: (args) => judgeInput(guard, args),
    processOutputStream: (args) => judgeStream(guard, args),
    processOutputResult: (args) => judgeResult(guard, args),
  };
}

function createModelProcessor(models: GuardModels, options: ModerationOptions, model: string): Processor {
  const { categories, modelTimeoutMs: timeoutMs, words, response } = options;
  const guard = {
    ...options,
    title: 'Moderation',
    judge: createModelJudge({ models, model, timeoutMs, question: createModerationQuestion(categories), response }),
    words: createTask(wordTask, { words }),
  };
  const answers = createAnswerModeration(guard);
  return {
    id: 'moderation',
    processInput: (args) => moderateInput(guard, args),
    processOutputStream: (args) => judgeAnswerStream(answers, args),
    processOutputResult: (args) => judgeAnswerResult(answers, args),
  };
}

async function moderateInput(guard: ModelModeration, args: ProcessInputArgs): Promise<void> {
  const messages = args.messageList.get.input.db();
  const flags = await moderateTexts(guard, args, messages.map(joinMessageTexts), 'message');
  if (guard.strategy !== 'filter') return;
  const ids = messages.flatMap(({ id }, at) => (isFlagged(flags[at]) ? [id] : []));
  if (ids.length > 0) args.messageList.removeByIds(ids);
}
