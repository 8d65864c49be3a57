// prompt-injection: finds attempts to turn the model against its instructions, in all that the caller sends and in tool results,
// where indirect ones come in, which have rules of their own. It judges form, not meaning: it is one layer, not a proof.
import type { JsonValue, Message } from '@millrace/contracts';
import {
  defineProcessor,
  mapStrings,
  stringsOf,
  type CommonArgs,
  type ProcessInputArgs,
  type ProcessToolResultArgs,
  type ProcessorDefinition,
} from '@millrace/processor';
import { mapMessage } from '../guard/message-values.ts';
import { createReport, refuse, refuseUnjudged, type Hit, type Reporting } from '../guard/report.ts';
import { NO_MODELS, type GuardModels } from '../model/guard-models.ts';
import { compilePattern, weightOf } from '../text/linear-pattern.ts';
import { mergeOverlapping, replaceSpans } from '../text/span.ts';
import { createTask, inlineCostOf, type Task } from '../work/task.ts';
import { judgedTexts, placedHits, speakerOf, textOf, textsIn, type JudgedText } from './judged-texts.ts';
import { prepareInjections } from './prepare-injections.ts';
import { promptInjectionOptions, type PromptInjectionOptions } from './prompt-injection-options.ts';
import { AIMS } from './rules/rule.ts';
import { MODEL_RULE, secondOpinion, type Asking, type SecondOpinion } from './second-opinion.ts';
import type { Judgement } from './signals.ts';
import { WORDING_RULE } from './wording/find-wording.ts';

export const LEFT_OUT = '[tool result left out: it tried to give instructions]';
export const CUT_OUT = '[removed]';
/** What is cut out or left out may bring the rest together to another attempt: looked at again so many times, then blocked. */
const MAX_ROUNDS = 4;

/**
 * Judges all that the caller sends, whatever its role, each message and the messages together, and what tools give back. It belongs
 * into both lists: under `input` for the caller, under `output` for tool results.
 *
 * Rules know what attempts say, in forty languages and however disguised; a linear model, learned from generated texts, knows how they are
 * worded, and adds its signal where the rules do not decide.
 *
 * With `model` a model is asked about a text that the rules do not stop: with `when: doubt` where they have found something and too
 * little of it, with `when: always` about every text.
 *
 * @verdict continue: nothing was found, or strategy warn; with filter and rewrite, what is left
 * @verdict abort: strategy block, or a text that is more than can be judged, whatever the strategy
 * @verdict halt: the same, where `response` is set
 * @verdict failure: the model cannot be asked, or does not answer as it should
 * @cannot Judge what a text means without a model: half of the attempts of families that nothing was made from pass, more in tool results. With one, the model may be wrong, or talked round. It is one layer beside tools with few rights, and people who confirm.
 * @cannot Tell a quotation from an attempt, but where a user asks about it in so many words: a tool's text that quotes a plain attack is stopped like one.
 * @cannot Read images, audio and the bytes of files.
 * @example
 * input:
 *   - unicode-normalizer
 *   - use: prompt-injection
 *     options: { strategy: block, response: I cannot help with that. }
 * output:
 *   - prompt-injection
 */
export const promptInjectionWith = (models: GuardModels): ProcessorDefinition =>
  defineProcessor({
    id: 'prompt-injection',
    description: 'Finds attempts to override instructions in what the caller sends and in tool results.',
    aliases: ['InjectionGuard', 'PromptInjectionDetector'],
    stages: ['processInput', 'processToolResult'],
    reads: ['input'],
    changes: {
      processInput: { option: 'strategy', values: ['filter', 'rewrite'] },
      processToolResult: { option: 'strategy', values: ['filter', 'rewrite'] },
    },
    options: promptInjectionOptions,
    create(options) {
      const guard = createGuard(models, options);
      return {
        id: 'prompt-injection',
        processInput: (args) => judgeInput(guard, args),
        processToolResult: (args) => judgeToolResult(guard, args),
      };
    },
  });
export const promptInjection = promptInjectionWith(NO_MODELS);

type Speaker = JudgedText['from'];
type InjectionGuard = Reporting & {
  threshold: number;
  tasks: Record<Speaker, Task<Judgement>>;
  opinion: SecondOpinion | undefined;
};

function createGuard(models: GuardModels, options: PromptInjectionOptions): InjectionGuard {
  const { strategy, response, threshold, aims, phrases, patterns } = options;
  const judging = { aims: aims === 'all' ? AIMS : aims, threshold, phrases, patterns };
  const maxInlineCost = inlineCostOf(weightOf(patterns.map(compilePattern)));
  const taskFor = (from: Speaker) =>
    createTask('prompt-injection', prepareInjections, { ...judging, from }, maxInlineCost);
  return {
    strategy,
    response,
    threshold,
    describe: (rules) => `Prompt injection: ${rules.join(', ')}.`,
    tasks: { user: taskFor('user'), tool: taskFor('tool') },
    opinion: secondOpinion(models, options),
  };
}

async function judgeInput(guard: InjectionGuard, args: ProcessInputArgs): Promise<void> {
  const { messageList } = args;
  const known = new Map<string, number>();
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const messages = messageList.get.input.db();
    const texts = judgedTexts(messages);
    const hits = placedHits(texts, await find(guard, args, texts, known));
    if (hits.length === 0) return;
    const report = createReport(guard, args);
    for (const { hit, text, messageIds } of hits) report.add([hit], text, { messageIds });
    report.send();
    if (guard.strategy === 'warn') return;
    const touched = new Set(hits.flatMap(({ messageIds }) => messageIds));
    const gone: string[] = [];
    for (const message of messages) {
      if (touched.has(message.id) && !(await isRewritten(guard, args, message))) gone.push(message.id);
    }
    if (gone.length > 0) messageList.removeByIds(gone);
  }
  refuse(args, guard.response, 'Prompt injection: what is left still is an attempt.', { rules: [] });
}

/** Without what was found in it. Not so with filter, where that leaves an attempt, or finds none in it alone: then the message goes. */
async function isRewritten(guard: InjectionGuard, args: ProcessInputArgs, message: Message): Promise<boolean> {
  const rewritten = guard.strategy === 'rewrite' ? await rewriteMessage(guard, args, message) : message;
  const isClean =
    rewritten !== message && (await findIn(guard, args, [textOf(rewritten)], speakerOf(message))).flat().length === 0;
  if (isClean) args.messageList.replace(rewritten);
  return isClean;
}

async function rewriteMessage(guard: InjectionGuard, args: CommonArgs, message: Message): Promise<Message> {
  const texts: string[] = [];
  mapMessage(message, (value) => {
    texts.push(...stringsOf(value));
    return value;
  });
  const rewrite = await createRewrite(guard, args, texts, speakerOf(message));
  return mapMessage(message, (value) => mapStrings(value, rewrite));
}

async function judgeToolResult(
  guard: InjectionGuard,
  args: ProcessToolResultArgs,
): Promise<{ result: JsonValue } | undefined> {
  const text = textsIn(args.result).join('\n');
  const [found = []] = await findIn(guard, args, [text], 'tool', { known: new Map(), isJoint: false });
  if (found.length === 0) return undefined;
  const { toolCallId, toolName } = args.toolCall;
  const report = createReport(guard, args);
  report.add(found, text, { toolCallId, toolName });
  report.send();
  if (guard.strategy === 'warn') return undefined;
  // What the model alone has found stands nowhere that could be cut out.
  if (guard.strategy !== 'rewrite' || found.some(({ rule }) => rule === MODEL_RULE)) return { result: LEFT_OUT };
  const rewritten = mapStrings(args.result, await createRewrite(guard, args, stringsOf(args.result), 'tool'));
  const left = await findIn(guard, args, [textsIn(rewritten).join('\n')], 'tool');
  return { result: left.flat().length === 0 ? rewritten : LEFT_OUT };
}

/** @param texts what will be rewritten */
async function createRewrite(
  guard: InjectionGuard,
  args: CommonArgs,
  texts: string[],
  from: Speaker,
): Promise<(text: string) => string> {
  const found = await findIn(guard, args, texts, from);
  const placed = found.map((hits) => hits.filter(({ rule }) => rule !== WORDING_RULE));
  const spans = new Map(texts.map((text, at) => [text, mergeOverlapping(placed[at] ?? [])]));
  return (text) => replaceSpans(text, spans.get(text) ?? [], () => CUT_OUT);
}

async function find(
  guard: InjectionGuard,
  args: CommonArgs,
  texts: readonly JudgedText[],
  known: Map<string, number>,
): Promise<Hit[][]> {
  const found = new Map<JudgedText, Hit[]>();
  for (const from of ['user', 'tool'] as const) {
    for (const isJoint of [false, true]) {
      const some = texts.filter((text) => text.from === from && text.sections.length > 1 === isJoint);
      const plain = some.map(({ text }) => text);
      const hits = await findIn(guard, args, plain, from, { known, isJoint });
      for (const [at, text] of some.entries()) found.set(text, hits[at] ?? []);
    }
  }
  return texts.map((text) => found.get(text) ?? []);
}

/**
 * Nothing where the score is not over the threshold, and no model says otherwise.
 * @param asking absent: no model is asked
 */
async function findIn(
  guard: InjectionGuard,
  args: CommonArgs,
  texts: readonly string[],
  from: Speaker,
  asking?: Asking,
): Promise<Hit[][]> {
  if (texts.length === 0) return [];
  const outcome = await guard.tasks[from].run(texts, args.abortSignal);
  if (!('found' in outcome)) return refuseUnjudged(args, guard.response, outcome.exceeded);
  const hits = outcome.found.map((judgement) => hitsOf(judgement, guard.threshold));
  if (!guard.opinion || !asking) return hits;
  const judged = outcome.found.flatMap((judgement, at) => ({ text: texts[at] ?? '', judgement }));
  const more = await guard.opinion.hitsOf(args, judged, from, asking);
  return hits.map((own, at) => [...own, ...(more[at] ?? [])]);
}

/** Score, weight and codes are detail: they tell how to get round the guard. */
const hitsOf = ({ score, signals }: Judgement, threshold: number): Hit[] =>
  score < threshold
    ? []
    : signals.map(({ rule, start, end, aim, weight, codes }) => ({
        rule,
        start,
        end,
        detail: { score: rounded(score), aim, weight: rounded(weight), ...(codes && { codes: [...codes] }) },
      }));

const rounded = (number: number): number => Math.round(number * 100) / 100;
