// prompt-injection: detects attempts to override the model's instructions in the caller's messages and, with rules of
// their own, in tool results. It judges form, not meaning, and is one layer of defense.
import type { JsonValue, Message } from '@millrace/contracts';
import {
  defineProcessor,
  mapStrings,
  listStrings,
  listTexts,
  type CommonArgs,
  type ProcessInputArgs,
  type ProcessToolResultArgs,
  type ProcessorDefinition,
} from '@millrace/processor';
import { mapMessage } from '../../guard/message-values.ts';
import { createReport, refuse, refuseUnjudged, type GuardHit, type Reporting } from '../../guard/report.ts';
import { NO_MODELS, type GuardModels } from '../../model/guard-models.ts';
import { modelPolicy } from '../../model/model-options.ts';
import { compilePattern, weighPatterns } from '../../text/linear-pattern.ts';
import { mergeOverlapping, replaceSpans } from '../../text/span.ts';
import { createTask, getInlineCost, type Task } from '../../work/task.ts';
import {
  collectTexts,
  placeHits,
  getSpeaker,
  readMessageText,
  type JudgedText,
  type PlacedHit,
} from './collect-texts.ts';
import { isForged } from './forged-signals.ts';
import { injectionTask } from './judge-text.ts';
import { promptInjectionOptions, type PromptInjectionOptions } from './prompt-injection-options.ts';
import { AIMS } from './rules/rule.ts';
import { MODEL_RULE, createSecondOpinion, type OpinionRequest, type SecondOpinion } from './second-opinion.ts';
import type { InjectionJudgement } from './signals.ts';

export const LEFT_OUT = '[tool result removed: it contained instructions]';
export const CUT_OUT = '[removed]';
/**
 * Maximum number of passes over a text after cutting or dropping, because the rest may form another attack. Then the
 * text is blocked.
 */
const MAX_ROUNDS = 4;

/**
 * Judges the caller's messages of every role, each one and all of them together, and tool results. Put it into both
 * lists: under `input` for the caller, under `output` for tool results.
 *
 * Rules match the content of attacks in forty languages and in disguised forms. The guard adds their evidence up in each
 * sentence with its neighbors, so the length of a document does not raise its score.
 *
 * A tool result is reported and stays untrusted, so that the tool policy stops consequential calls after it; it is stopped only if
 * it contains encoded instructions, hidden characters or forged role marks with an order. An agent that sets `strategy`, and one that was stored by an
 * earlier version, treats tool results by `strategy`. The answer of a caller to a question of a tool is always judged as a message.
 *
 * If `model` is set, the model judges texts that the rules do not stop: with `when: doubt` texts with some evidence
 * below the threshold, with `when: always` every text.
 *
 * @verdict continue: nothing was found, or strategy warn; with filter and rewrite, the rest
 * @verdict abort: strategy block, a tool result with forged or hidden instructions, or a text that exceeds a bound, with any strategy
 * @verdict halt: the same, if `response` is set
 * @verdict failure: the model is unavailable or returns an invalid answer
 * @cannot Judge the meaning of a text without a model. It misses about six of ten attacks from families that its rules
 * were not written for, and most tool results that state another task without a reference to instructions. A model can be wrong or be manipulated. Use it as one layer, with restricted
 * tools and human approval.
 * @cannot Distinguish a quotation from an attack, unless a user explicitly asks about it: it stops a tool result that
 * quotes a plain attack.
 * @cannot Decode base32, base85, shifted letters, letters by numbers, and spellings such as Morse, Braille, radio words and pig latin.
 * @cannot Read images, audio and documents: of files it reads only text, such as text/* and JSON.
 * @example
 * input:
 *   - unicode-normalizer
 *   - use: prompt-injection
 *     options: { strategy: block, response: I cannot help with that. }
 * output:
 *   - prompt-injection
 */
export const definePromptInjection = (models: GuardModels): ProcessorDefinition =>
  defineProcessor({
    id: 'prompt-injection',
    description: "Detects attempts to override instructions in the caller's messages and in tool results.",
    aliases: ['InjectionGuard', 'PromptInjectionDetector'],
    stages: ['processInput', 'processToolResult'],
    positions: { input: 130 },
    judgesText: true,
    reads: { processInput: ['input', 'remembered'], processToolResult: ['input'] },
    changes: {
      processInput: { option: 'strategy', values: ['filter', 'rewrite'] },
      processToolResult: { option: 'strategy', values: ['filter', 'rewrite'] },
    },
    policy: modelPolicy,
    options: promptInjectionOptions,
    newDefaults: { options: { toolResults: 'warn' }, unless: 'strategy' },
    create(options) {
      const guard = createGuard(models, options);
      return {
        id: 'prompt-injection',
        processInput: (args) => judgeInput(guard, args),
        processToolResult: (args) => judgeToolResult(guard, args),
      };
    },
  });
export const promptInjection = definePromptInjection(NO_MODELS);

type InjectionSpeaker = JudgedText['from'];
type InjectionGuard = Reporting & {
  warnsOfTools: boolean;
  scansRemembered: boolean;
  threshold: number;
  tasks: Record<InjectionSpeaker, Task<InjectionJudgement>>;
  opinion: SecondOpinion | undefined;
};

function createGuard(models: GuardModels, options: PromptInjectionOptions): InjectionGuard {
  const { strategy, response, threshold, aims, phrases, patterns, toolResults, scanRemembered } = options;
  const judging = { aims: aims === 'all' ? AIMS : aims, threshold, phrases, patterns };
  const maxInlineCost = getInlineCost(weighPatterns(patterns.map(compilePattern)));
  const createInjectionTask = (from: InjectionSpeaker) =>
    createTask(injectionTask, { ...judging, from }, maxInlineCost);
  return {
    strategy,
    response,
    threshold,
    warnsOfTools: toolResults === 'warn',
    scansRemembered: scanRemembered,
    describe: (rules) => `Prompt injection: ${rules.join(', ')}.`,
    tasks: { user: createInjectionTask('user'), tool: createInjectionTask('tool') },
    opinion: createSecondOpinion(models, options),
  };
}

async function judgeInput(guard: InjectionGuard, args: ProcessInputArgs): Promise<void> {
  const { messageList } = args;
  const known = new Map<string, number>();
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const remembered = guard.scansRemembered ? messageList.get.remembered.db() : [];
    const messages = [...remembered, ...messageList.get.input.db()];
    const texts = collectTexts(messages);
    const hits = warnOfTools(guard, args, texts, await find(guard, args, texts, known));
    if (hits.length === 0) return;
    const report = createReport(guard, args);
    for (const { hit, text, messageIds } of hits) report.add([hit], text, { messageIds });
    report.send();
    if (guard.strategy === 'warn') return;
    const touched = new Set(hits.flatMap(({ messageIds }) => messageIds));
    const removed: string[] = [];
    for (const message of messages) {
      if (touched.has(message.id) && !(await isRewritten(guard, args, message))) removed.push(message.id);
    }
    if (removed.length > 0) messageList.removeByIds(removed);
  }
  refuse(args, guard.response, 'Prompt injection: the rest of the text is still an attack.', { rules: [] });
}

/** Reports the findings in tool results that a caller sends, and returns those that the strategy applies to. */
function warnOfTools(
  guard: InjectionGuard,
  args: ProcessInputArgs,
  texts: readonly JudgedText[],
  found: readonly GuardHit[][],
): PlacedHit[] {
  const placed = placeHits(texts, found);
  if (!guard.warnsOfTools) return placed;
  const ids = new Set(
    texts.flatMap(({ from, sections }, at) =>
      from === 'tool' && !isForged(found[at] ?? []) ? sections.map(({ messageId }) => messageId) : [],
    ),
  );
  const isWarned = ({ hit, messageIds }: PlacedHit) => messageIds.every((id) => ids.has(id)) && !isForged([hit]);
  const report = createReport({ ...guard, strategy: 'warn' }, args);
  for (const { hit, text, messageIds } of placed.filter(isWarned)) report.add([hit], text, { messageIds });
  report.send();
  return placed.filter((one) => !isWarned(one));
}

/**
 * Cuts the finding out of a message. Returns false if the rest is still an attack, if the message alone has no finding,
 * or with strategy filter; the caller then drops the message.
 */
async function isRewritten(guard: InjectionGuard, args: ProcessInputArgs, message: Message): Promise<boolean> {
  const rewritten = guard.strategy === 'rewrite' ? await rewriteMessage(guard, args, message) : message;
  const isClean =
    rewritten !== message &&
    (await findIn(guard, args, [readMessageText(rewritten)], getSpeaker(message))).flat().length === 0;
  if (isClean) args.messageList.replace(rewritten);
  return isClean;
}

async function rewriteMessage(guard: InjectionGuard, args: CommonArgs, message: Message): Promise<Message> {
  const texts: string[] = [];
  mapMessage(message, (value) => {
    for (const text of listStrings(value)) texts.push(text);
    return value;
  });
  const rewrite = await createRewrite(guard, args, texts, getSpeaker(message));
  return mapMessage(message, (value) => mapStrings(value, rewrite));
}

async function judgeToolResult(
  guard: InjectionGuard,
  args: ProcessToolResultArgs,
): Promise<{ result: JsonValue } | undefined> {
  const text = listTexts(args.result).join('\n');
  const from = args.resultOrigin === 'caller' ? 'user' : 'tool';
  const [found = []] = await findIn(guard, args, [text], from, { known: new Map(), isJoint: false });
  if (found.length === 0) return undefined;
  const { toolCallId, toolName } = args.toolCall;
  const isWarned = guard.strategy === 'warn' || (from === 'tool' && guard.warnsOfTools && !isForged(found));
  const report = createReport(isWarned ? { ...guard, strategy: 'warn' } : guard, args);
  report.add(found, text, { toolCallId, toolName });
  report.send();
  if (isWarned) return undefined;
  // A finding of the model has no place to cut.
  if (guard.strategy !== 'rewrite' || found.some(({ rule }) => rule === MODEL_RULE)) return { result: LEFT_OUT };
  const rewritten = mapStrings(args.result, await createRewrite(guard, args, listStrings(args.result), from));
  const left = await findIn(guard, args, [listTexts(rewritten).join('\n')], from);
  return { result: left.flat().length === 0 ? rewritten : LEFT_OUT };
}

/** @param texts that will be rewritten */
async function createRewrite(
  guard: InjectionGuard,
  args: CommonArgs,
  texts: string[],
  from: InjectionSpeaker,
): Promise<(text: string) => string> {
  const found = await findIn(guard, args, texts, from);
  const spans = new Map(texts.map((text, at) => [text, mergeOverlapping(found[at] ?? [])]));
  return (text) => replaceSpans(text, spans.get(text) ?? [], () => CUT_OUT);
}

async function find(
  guard: InjectionGuard,
  args: CommonArgs,
  texts: readonly JudgedText[],
  known: Map<string, number>,
): Promise<GuardHit[][]> {
  const found = new Map<JudgedText, GuardHit[]>();
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
 * Returns no hits if the score is below the threshold and the model finds no attack.
 * @param asking absent: the model is not called
 */
async function findIn(
  guard: InjectionGuard,
  args: CommonArgs,
  texts: readonly string[],
  from: InjectionSpeaker,
  asking?: OpinionRequest,
): Promise<GuardHit[][]> {
  if (texts.length === 0) return [];
  const outcome = await guard.tasks[from].run(texts, args.abortSignal);
  if (!('found' in outcome)) return refuseUnjudged(args, guard.response, outcome.exceeded);
  const hits = outcome.found.map((judgement) => toHits(judgement, guard.threshold));
  if (!guard.opinion || !asking) return hits;
  const judged = outcome.found.flatMap((judgement, at) => ({ text: texts[at] ?? '', judgement }));
  const more = await guard.opinion.findHits(args, judged, from, asking);
  return hits.map((own, at) => [...own, ...(more[at] ?? [])]);
}

/** Puts score, weight and codes into the detail only, because they reveal how to evade the guard. */
const toHits = ({ score, signals }: InjectionJudgement, threshold: number): GuardHit[] =>
  score < threshold
    ? []
    : signals.map(({ rule, start, end, aim, weight, codes }) => ({
        rule,
        start,
        end,
        detail: { score: roundScore(score), aim, weight: roundScore(weight), ...(codes && { codes: [...codes] }) },
      }));

const roundScore = (number: number): number => Math.round(number * 100) / 100;
