// judge: asks a model the author's own question about messages, answers, tool calls and tool results, or the question of
// a preset.
import type { JsonValue } from '@millrace/contracts';
import {
  defineProcessor,
  type CommonArgs,
  type ProcessInputArgs,
  type ProcessorDefinition,
  type ProcessToolCallArgs,
  type ProcessToolCallResult,
  type ProcessToolResultArgs,
} from '@millrace/processor';
import { DENIED, LEFT_OUT, judgePlaces, type TextPlaceName } from '../../guard/places.ts';
import { refuse, refuseUnjudged } from '../../guard/report.ts';
import { retryAnswer } from '../../guard/retry-answer.ts';
import { listMessageTexts } from '../../guard/value-texts.ts';
import type { GuardModels } from '../../model/guard-models.ts';
import { judgeAnswerResult, judgeAnswerStream, type AnswerGuard } from '../../model/judge-answer.ts';
import { createModelJudge } from '../../model/model-judge.ts';
import { modelPolicy } from '../../model/model-options.ts';
import { isFlagged, reportFlags, requestFlags, type Flags, type ScoreGuard } from '../../model/score-texts.ts';
import {
  DEFAULT_INPUTS,
  DEFAULT_PLACES,
  judgeOptions,
  type JudgedInput,
  type JudgeGuardOptions,
} from './judge-options.ts';
import { createJudgeQuestion, listCriteria } from './judge-question.ts';
import { buildJudgedText, listJudgedFiles, type JudgedFile, type Subject } from './judged-inputs.ts';

/**
 * Sends one model call for each message of the caller, each text part of the answer, each tool call and each tool
 * result that `on` names. Put the processor under `input` for messages and tool calls, under `output` for answers and
 * tool results.
 *
 * A part of an answer is buffered until the model has judged it, so that no client receives rejected text: with the
 * default `window: 0` the whole part, with a length its windows.
 *
 * With `files` it judges images and PDFs, also those of a thread, if the agent has `files: judged`. It rejects more than 16 files or
 * 12 MiB at once.
 *
 * The guards of a replica share one budget of model calls and one cache. A stage call makes at most 64 model calls with
 * 262,144 characters, a run at most 5,000 with 4,194,304; above that the guard blocks. A cached answer costs nothing: its
 * key is the tenant, the model, the question and all judged inputs.
 *
 * @verdict continue: no likelihood reached the threshold, or strategy warn; with filter, the rest
 * @verdict abort: strategy block, or a text that exceeds a bound; with `retry`, strategy retry while retries are left
 * @verdict halt: the same, if `response` is set and no retries are left
 * @verdict deny: a tool call, with strategy filter
 * @verdict failure: the model is unavailable or returns an invalid answer
 * @cannot Judge better than its model. The text can persuade the model, because the model reads it.
 * @cannot Judge files behind URLs, in answers and in results of tools. A document other than PDF fails the call.
 * @cannot Find content that spans several messages of the caller, or several windows beyond the context of a window.
 * @cannot Judge chunks other than text and reasoning, such as the arguments of a tool call while they are streamed.
 * @cannot Judge reasoning with the preset grounding: reasoning passes.
 * @cannot Add its tokens to the cost of the run: `usage.processors` lists them by entry.
 * @example
 * input:
 *   - use: judge
 *     as: topics
 *     options: { model: openai/gpt-5-mini, preset: topics, deniedTopics: [medical advice, politics] }
 *   - use: judge
 *     as: pictures
 *     options: { model: openai/gpt-5-mini, question: Does it show a person?, files: [image, document] }
 *   - use: judge
 *     as: alignment
 *     options: { model: openai/gpt-5-mini, preset: tool-alignment, strategy: filter }
 * output:
 *   - use: judge
 *     as: grounding
 *     options: { model: openai/gpt-5-mini, preset: grounding, strategy: retry }
 *   - use: judge
 *     as: promises
 *     options: { model: openai/gpt-5-mini, question: Does the text promise a refund? }
 */
export const judge = (models: GuardModels): ProcessorDefinition =>
  defineProcessor({
    id: 'judge',
    description: "Asks a model the author's own question about input, answer, tool calls and tool results.",
    stages: ['processInput', 'processOutputStream', 'processToolCall', 'processToolResult', 'processOutputResult'],
    positions: { input: 145, output: 145 },
    judgesText: true,
    judgesFiles: { option: 'files' },
    reads: ['input', 'context', 'response', 'remembered', 'system'],
    changes: {
      processInput: { option: 'strategy', values: ['filter'] },
      processToolCall: 'never',
      processToolResult: { option: 'strategy', values: ['filter'] },
      processOutputResult: { option: 'strategy', values: ['filter'] },
    },
    policy: { ...modelPolicy, timeoutMs: 15_000 },
    options: judgeOptions,
    create(options) {
      const guard = createGuard(models, options);
      const answers = createAnswerGuard(guard);
      return judgePlaces('judge', guard.places, {
        processInput: (args) => judgeInput(guard, args),
        processOutputStream: (args) => judgeAnswerStream(answers, args),
        processToolCall: (args) => judgeToolCall(guard, args),
        processToolResult: (args) => judgeToolResult(guard, args),
        processOutputResult: (args) => judgeAnswerResult(answers, args),
      });
    },
  });

type JudgeGuard = Omit<JudgeGuardOptions, 'include'> &
  ScoreGuard & {
    places: readonly TextPlaceName[];
    include: readonly JudgedInput[];
    advice: ReadonlyMap<string, string>;
  };
type JudgeArgs = CommonArgs & Pick<ProcessInputArgs, 'messageList'>;

function createGuard(models: GuardModels, options: JudgeGuardOptions): JudgeGuard {
  const { model, preset = 'question', modelTimeoutMs: timeoutMs, maxCharacters, cacheMs, response } = options;
  const criteria = listCriteria(options);
  const question = createJudgeQuestion(criteria);
  return {
    ...options,
    title: 'Judge',
    places: options.on ?? DEFAULT_PLACES[preset],
    include: options.include ?? DEFAULT_INPUTS[preset],
    advice: new Map(criteria.map(({ rule, advice }) => [rule, advice])),
    judge: createModelJudge({ models, model, timeoutMs, question, response, maxCharacters, cacheMs }),
  };
}

/** Returns the flags of each subject, then of each file. An empty text passes without a call. */
function requestSubjectFlags(
  guard: JudgeGuard,
  args: JudgeArgs,
  subjects: readonly Subject[],
  files: readonly JudgedFile[] = [],
): Promise<Flags[]> {
  const isBlank = (subject: Subject) => 'text' in subject && subject.text.trim() === '';
  const texts = subjects.map((one) => (isBlank(one) ? '' : buildJudgedText(guard, one, args.messageList)));
  const items = files.map(({ kind, file }) => ({
    text: buildJudgedText(guard, { file: kind }, args.messageList),
    file,
  }));
  return requestFlags(guard, args, [...texts, ...items]);
}

/** Reports the flags. Throws (abort, halt) with the strategies block and retry. */
function reportAndStop(
  guard: JudgeGuard,
  args: CommonArgs,
  what: string,
  flags: readonly Flags[],
  isRetried = false,
): void {
  const { rules, message } = reportFlags(guard, args, what, flags);
  if (rules.length === 0) return;
  const advice = rules.map((rule) => guard.advice.get(rule) ?? rule).join('; ');
  if (isRetried) retryAnswer(args, guard.maxRetries, `The answer was not accepted: ${advice}.`, { rules });
  if (guard.strategy !== 'warn' && guard.strategy !== 'filter') refuse(args, guard.response, message, { rules });
}

async function judgeInput(guard: JudgeGuard, args: ProcessInputArgs): Promise<void> {
  const messages = args.messageList.get.input.db();
  const files = messages.flatMap((message) => listJudgedFiles(message, guard.files));
  const texts = listMessageTexts(messages, (bound) => refuseUnjudged(args, guard.response, bound));
  const flags = await requestSubjectFlags(
    guard,
    args,
    texts.map((lines) => ({ text: lines.join('\n') })),
    files,
  );
  reportAndStop(guard, args, 'message', flags);
  if (guard.strategy !== 'filter') return;
  const ofFiles = new Set(
    files.flatMap(({ message }, at) => (isFlagged(flags[messages.length + at]) ? [message] : [])),
  );
  const ids = messages.flatMap(({ id }, at) => (isFlagged(flags[at]) || ofFiles.has(id) ? [id] : []));
  if (ids.length > 0) args.messageList.removeByIds(ids);
}

async function judgeToolCall(guard: JudgeGuard, args: ProcessToolCallArgs): Promise<ProcessToolCallResult> {
  const { toolName, args: given } = args.toolCall;
  const flags = await requestSubjectFlags(guard, args, [{ toolCall: { tool: toolName, arguments: given } }]);
  reportAndStop(guard, args, 'tool call', flags);
  if (guard.strategy !== 'filter' || !isFlagged(flags[0])) return undefined;
  return { deny: true, reason: DENIED, code: Object.keys(flags[0] ?? {})[0] ?? 'judge' };
}

async function judgeToolResult(
  guard: JudgeGuard,
  args: ProcessToolResultArgs,
): Promise<{ result: JsonValue } | undefined> {
  const { result } = args;
  const text = typeof result === 'string' ? result : JSON.stringify(result);
  const flags = await requestSubjectFlags(guard, args, [{ text }]);
  reportAndStop(guard, args, 'tool result', flags);
  return guard.strategy === 'filter' && isFlagged(flags[0]) ? { result: LEFT_OUT } : undefined;
}

const createAnswerGuard = (guard: JudgeGuard): AnswerGuard => ({
  window: guard.window,
  context: guard.context,
  response: guard.response,
  bound: 'modelText',
  judgesReasoning: guard.preset !== 'grounding',
  async judgeWindows(args, windows, what) {
    const subjects = windows.map(({ context, text }) => ({ text: text.trim() === '' ? text : context + text }));
    const flags = await requestSubjectFlags(guard, args, subjects);
    reportAndStop(guard, args, what, flags, guard.strategy === 'retry');
    return windows.map(({ text }, at) => (guard.strategy === 'filter' && isFlagged(flags[at]) ? '' : text));
  },
});
