// context-compaction: keeps the prompt of each model call within a budget of tokens. It shortens old tool results and summarizes the oldest
// messages; the thread and the run keep all of them.
import { MODEL_TIMEOUT_MS, defineProcessor, type ProcessorDefinition } from '@millrace/processor';
import type { GuardModels } from '../../model/guard-models.ts';
import { createModelJudge } from '../../model/model-judge.ts';
import { modelPolicy } from '../../model/model-options.ts';
import { createTask } from '../../work/task.ts';
import { MAX_COUNTED_AT_ONCE, tokenCountingTask } from '../token-limiter/count-tokens.ts';
import { compactRequest, type Compactor } from './compact-prompt.ts';
import { contextCompactionOptions, type ContextCompactionOptions } from './context-compaction-options.ts';
import { countsOfReplica } from './prompt-counter.ts';
import { createSummaryQuestion, type Summarizer } from './summarize-turns.ts';

/** Share of the budget that a prompt has after a summary. */
const TARGET_SHARE = 0.5;

/**
 * Compacts the prompt of a model call that has more tokens than the budget, before each step. First, old tool results keep their
 * beginning and their end, and of several calls with the same tool and arguments only the last result stays. Then `model` summarizes the oldest messages. System messages,
 * the first request, the current request and the last steps stay as they are, and a call stays with its result. A marker in the
 * prompt names each omission, and the violation `context-compacted` counts them.
 *
 * The thread keeps everything: only the prompt of the call changes. A summary is part of a user's message, and the content of the run stays
 * untrusted if one of its messages is. A summary is stored in the state of the entry until a message that it replaces changes; the next summary includes it.
 *
 * @verdict continue: with the compacted prompt, or unchanged up to the budget
 * @verdict abort: a prompt that exceeds a bound
 * @verdict halt: the same, if `response` is set
 * @verdict failure: the model is unavailable or returns an invalid answer; if the policy is `skip`, the prompt passes without a new summary
 * @cannot Shorten the arguments of calls, the last steps, or the texts of a user that stay: the violation `budget-not-met` reports a prompt above the budget.
 * @cannot Know the window of a model: `budget` has to be below it.
 * @cannot Keep every fact in a summary.
 * @example
 * input:
 *   - memory
 *   - use: context-compaction
 *     options: { budget: 100000, model: openai/gpt-5-mini }
 */
export const defineContextCompaction = (models: GuardModels): ProcessorDefinition =>
  defineProcessor({
    id: 'context-compaction',
    description: 'Keeps a prompt within a budget: shortens old tool results and summarizes the oldest messages.',
    aliases: [
      'Compression',
      'Compactor',
      'ConversationCompactor',
      'ConversationCompactorModifier',
      'ChatCompressionModifier',
    ],
    stages: ['processLLMRequest'],
    positions: { input: 605 },
    reads: ['prompt'],
    policy: { ...modelPolicy, timeoutMs: MODEL_TIMEOUT_MS },
    options: contextCompactionOptions,
    create(options) {
      const compactor = createCompactor(models, options);
      return { id: 'context-compaction', processLLMRequest: (args) => compactRequest(compactor, args) };
    },
  });

function createCompactor(models: GuardModels, options: ContextCompactionOptions): Compactor {
  const { counting, resultHeadTokens: head, resultTailTokens: tail } = options;
  const counted = { counting, ends: { head, tail } };
  const { run } = createTask(tokenCountingTask, counted, MAX_COUNTED_AT_ONCE);
  const task = { run, scope: JSON.stringify(counted), cache: countsOfReplica };
  const summarizer = createSummarizer(models, options);
  return { ...options, task, ...(summarizer && { summarizer }) };
}

function createSummarizer(
  models: GuardModels,
  { model, modelTimeoutMs: timeoutMs, budget, summaryTokens, response }: ContextCompactionOptions,
): Summarizer | undefined {
  if (model === undefined) return undefined;
  const question = createSummaryQuestion(summaryTokens);
  const judge = createModelJudge({ models, model, timeoutMs, question, response });
  return { judge, summaryTokens, target: Math.floor(budget * TARGET_SHARE) };
}
