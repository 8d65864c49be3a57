// language: tells in which language each message is that the caller sent, and notes, warns of, refuses or translates what is not in
// a wanted one. By statistics of letters; a model where they leave a doubt, and for translations.
import { modelParts, MillraceError, type Message } from '@millrace/contracts';
import {
  MODEL_TIMEOUT_MS,
  defineProcessor,
  type ProcessInputArgs,
  type ProcessorDefinition,
} from '@millrace/processor';
import { BOUNDS, costOf } from '../guard/bounds.ts';
import { refuse, refuseUnjudged } from '../guard/report.ts';
import { exceededByModel } from '../model/model-bounds.ts';
import type { GuardModels } from '../model/guard-models.ts';
import { createModelJudge, type ModelJudge } from '../model/model-judge.ts';
import { detectLanguages, loadLanguages } from './detect-language.ts';
import { languageOptions, type LanguageOptions } from './language-options.ts';
import { DETECTION, translationTo } from './language-questions.ts';

/**
 * By statistics of letters, stretch by stretch: the first stretch that is not in a wanted language decides. A model is asked where they
 * leave a doubt, if one is named, and for translations. A doubt that nobody is asked about passes.
 *
 * @verdict continue: with the language noted in the message's metadata (detect), with translated messages (translate), or as it is
 * @verdict abort: strategy block, or a text that is more than can be judged
 * @verdict halt: the same, where `response` is set
 * @verdict failure: the model cannot be asked, or does not answer as it should
 * @cannot Tell the language of a few words, of names, of code, and of letters that several languages share.
 * @cannot Judge answers: response-validator can hold them to the language of the question.
 * @example
 * input:
 *   - use: language
 *     options: { targets: [en, de], strategy: block, response: Please write in English or German. }
 */
export const language = (models: GuardModels): ProcessorDefinition =>
  defineProcessor({
    id: 'language',
    description: 'Detects the language of what the caller sends, and refuses or translates what is in another one.',
    aliases: ['LanguageDetector'],
    stages: ['processInput'],
    reads: ['input'],
    changes: { processInput: { option: 'strategy', values: ['detect', 'translate'] } },
    policy: { timeoutMs: MODEL_TIMEOUT_MS },
    prepare: loadLanguages,
    options: languageOptions,
    create(options) {
      const guard = createGuard(models, options);
      return { id: 'language', processInput: (args) => judgeInput(guard, args) };
    },
  });

type LanguageGuard = LanguageOptions & {
  detect?: ModelJudge<{ language: string }>;
  translate?: ModelJudge<{ texts: string[] }>;
};

function createGuard(models: GuardModels, options: LanguageOptions): LanguageGuard {
  const { model, modelTimeoutMs: timeoutMs, targets } = options;
  if (model === undefined) return options;
  const asked = { models, model, timeoutMs };
  return {
    ...options,
    detect: createModelJudge({ ...asked, question: DETECTION }),
    translate: createModelJudge({ ...asked, question: translationTo(targets[0] ?? 'en') }),
  };
}

/** A message with its texts and its language: none where that stays a doubt. */
type Judged = { message: Message; texts: string[]; language: string | undefined; isTarget: boolean };

async function judgeInput(guard: LanguageGuard, args: ProcessInputArgs): Promise<void> {
  const told = args.messageList.get.input.db().map((message) => ({ message, texts: textsOf(message) }));
  if (costOf(told.flatMap(({ texts }) => texts)) > BOUNDS.characters)
    refuseUnjudged(args, guard.response, 'characters');
  const judged = await judgeMessages(guard, args, told);
  if (guard.strategy === 'detect') for (const one of judged) note(args, one);
  const others = judged.filter((one) => !one.isTarget);
  if (others.length > 0) await actOn(guard, args, others);
}

const textsOf = (message: Message): string[] =>
  modelParts(message).flatMap((part) => (part.type === 'text' ? [part.text] : []));

async function judgeMessages(
  guard: LanguageGuard,
  args: ProcessInputArgs,
  told: { message: Message; texts: string[] }[],
): Promise<Judged[]> {
  const judged: Judged[] = [];
  for (const one of told) judged.push({ ...one, ...(await byStatistics(guard, args, one.texts.join('\n'))) });
  const { detect, when } = guard;
  if (!detect) return judged;
  const asked = judged.filter(
    ({ language, texts }) => texts.join('').trim() !== '' && (when === 'always' || !language),
  );
  refuseTooMuch(
    guard,
    args,
    asked.map(({ texts }) => texts.join('\n')),
  );
  const answers = await detect.askEach(
    asked.map(({ texts }) => texts.join('\n')),
    args.abortSignal,
  );
  const said = new Map(asked.map((one, at) => [one, answers[at]?.language]));
  return judged.map((one) => {
    const language = said.get(one);
    if (language === undefined || language === 'und') return one;
    return { ...one, language, isTarget: isTarget(guard, [language]) };
  });
}

/** The first stretch that is not in a wanted language decides; where all that are decided are, the message is. */
async function byStatistics(
  guard: LanguageGuard,
  args: ProcessInputArgs,
  text: string,
): Promise<Pick<Judged, 'language' | 'isTarget'>> {
  const { threshold, minTextLength: minLength } = guard;
  const stretches = await detectLanguages(text, { threshold, minLength }, args.abortSignal);
  const decided = stretches.filter(({ languages }) => languages.length > 0);
  const other = decided.find(({ languages }) => !isTarget(guard, languages));
  if (other) return { language: other.languages[0], isTarget: false };
  const wanted = decided[0]?.languages.find((one) => isTarget(guard, [one]));
  return { language: wanted, isTarget: true };
}

const isTarget = ({ targets }: LanguageGuard, languages: readonly string[]): boolean =>
  targets.some((target) => languages.includes(target));

/** In the message's own metadata, where later processors and the memory find it. */
function note({ messageList }: ProcessInputArgs, { message, language }: Judged): void {
  if (language === undefined) return;
  const metadata = { ...message.content.metadata, language };
  messageList.replace({ ...message, content: { ...message.content, metadata } });
}

/** Throws (abort, halt) with strategy block. */
async function actOn(guard: LanguageGuard, args: ProcessInputArgs, others: readonly Judged[]): Promise<void> {
  const { targets, strategy, response } = guard;
  const found = [...new Set(others.map(({ language }) => language ?? ''))];
  const rule = 'language-not-wanted';
  const message = `A message is not in ${targets.join(' or ')}.`;
  args.onViolation({ message, rule, strategy, count: others.length, detail: { languages: found } });
  if (strategy === 'block') refuse(args, response, message, { rules: [rule] });
  if (strategy === 'translate') await translate(guard, args, others);
}

async function translate(guard: LanguageGuard, args: ProcessInputArgs, others: readonly Judged[]): Promise<void> {
  const asked = others.map(({ texts }) => JSON.stringify(texts));
  refuseTooMuch(guard, args, asked);
  const answers = (await guard.translate?.askEach(asked, args.abortSignal)) ?? [];
  for (const [at, { message, texts }] of others.entries()) {
    const translated = answers[at]?.texts ?? [];
    if (translated.length !== texts.length) {
      const problem = `${guard.model} gave ${translated.length} translations of ${texts.length} texts.`;
      throw new MillraceError('extraction-failed', problem, { remedy: 'Use a model that keeps to what it is asked.' });
    }
    let next = 0;
    const parts = modelParts(message).map((part) =>
      part.type === 'text' ? { ...part, text: translated[next++] ?? '' } : part,
    );
    const { content: _, ...content } = message.content;
    args.messageList.replace({ ...message, content: { ...content, parts } });
  }
}

function refuseTooMuch({ response }: LanguageGuard, args: ProcessInputArgs, texts: readonly string[]): void {
  const exceeded = exceededByModel(texts);
  if (exceeded) refuseUnjudged(args, response, exceeded);
}
