// The guards with samples of their own, as the program calls them: their processor, its options with and without a
// model, the answer of a scripted model, and the findings in a verdict.
import type { JsonObject, Verdict } from '@millrace/contracts';
import { createProcessorChain, loadProcessors } from '@millrace/testkit/in-process';
import { z } from 'zod';
import { buildUserInput, JUDGE, listOptionValues } from '../guards.ts';
import { NO_LANGUAGE, TARGET, type LabelledGuard } from '../guard-samples.ts';
import type { JudgedSample } from '../judge-samples.ts';
import { matchSpans } from '../match-spans.ts';
import type { AnswerSample } from '../model/scripted-judge.ts';
import { NOT_JUDGED, readSpans, toJudgement, type FoundSpans, type GuardModel } from '../read-verdicts.ts';
import type { PlacedSample } from '../sample.ts';

type GuardProfile = {
  processor: string;
  /** Option that lists the types that a label may have. */
  typesOption: string;
  /** @param types all values of that option */
  buildOptions(types: readonly string[], model: JsonObject | undefined): JsonObject;
  answer(sample: PlacedSample, isRight: boolean, types: readonly string[]): JsonObject;
  readFound(verdict: Verdict, sample: PlacedSample): FoundSpans;
};

const FLAGGED = 0.9;
const SCORED_WRONGLY = 'harassment';
const WORD_RULE = 'word-list';

const coverSample = ({ text }: PlacedSample, types: readonly string[]): FoundSpans => ({
  spans: types.map((type) => ({ type, start: 0, end: text.length })),
  unlisted: new Map(),
});
const listTypes = ({ spans = [] }: PlacedSample): string[] => spans.map(({ type }) => type);
/** Report of a guard that judged without its model. */
const NO_MODEL = 'model-unavailable';
const listRules = (verdict: Verdict): string[] =>
  'violations' in verdict
    ? (verdict.violations ?? []).flatMap(({ rule = [] }) => rule).filter((rule) => rule !== NO_MODEL)
    : [];

const moderation: GuardProfile = {
  processor: 'moderation',
  typesOption: 'categories',
  buildOptions: (categories, model) => (model ? { ...model, categories: [...categories] } : { mode: 'words' }),
  answer(sample, isRight, categories) {
    const right = listTypes(sample);
    const flagged = isRight ? right : right.length > 0 ? [] : [SCORED_WRONGLY];
    return { scores: Object.fromEntries(categories.map((one) => [one, flagged.includes(one) ? FLAGGED : 0])) };
  },
  // The list contains swear words only.
  readFound: (verdict, sample) =>
    coverSample(
      sample,
      listRules(verdict).map((rule) => (rule === WORD_RULE ? 'profanity' : rule)),
    ),
};

const languagesSchema = z.object({ languages: z.array(z.string()) });
const notedSchema = z.object({
  changes: z.object({
    ops: z.tuple([
      z.object({ message: z.object({ content: z.object({ metadata: z.object({ language: z.string() }) }) }) }),
    ]),
  }),
});

const language: GuardProfile = {
  processor: 'language',
  typesOption: 'targets',
  buildOptions: (_, model) => ({ ...model, targets: [TARGET] }),
  answer({ language: label }, isRight) {
    const wrong = label === TARGET ? 'de' : TARGET;
    return { language: isRight ? label : wrong };
  },
  // The report has the language of an unwanted message, the message's metadata that of every decided one.
  readFound(verdict, sample) {
    const violations = 'violations' in verdict ? (verdict.violations ?? []) : [];
    const reported = violations.flatMap(({ detail }) => languagesSchema.safeParse(detail).data?.languages ?? []);
    const noted = notedSchema.safeParse(verdict).data?.changes.ops[0].message.content.metadata.language;
    const found = reported[0] ?? noted;
    return coverSample(sample, found === undefined || found === NO_LANGUAGE ? [] : [found]);
  },
};

const names: GuardProfile = {
  processor: 'pii',
  typesOption: 'modelTypes',
  // The rules look for uuids only, so that a place in the text stays the place in the sample.
  buildOptions: (_, model) => ({ ...model, types: ['uuid'] }),
  answer({ text, spans = [] }, isRight) {
    const listed = spans.map(({ type, start, end }) => ({ type, value: text.slice(start, end) }));
    if (isRight) return { found: listed };
    const [longest = text] = (text.match(/\p{L}+/gu) ?? []).toSorted((a, b) => b.length - a.length);
    return { found: listed.length > 0 ? [] : [{ type: 'name', value: longest }] };
  },
  readFound(verdict) {
    const { spans, unlisted } = readSpans([verdict]);
    return { spans, unlisted: new Map([...unlisted].filter(([rule]) => rule !== NO_MODEL)) };
  },
};

const PROFILES: Readonly<Record<LabelledGuard, GuardProfile>> = { moderation, language, names };

export type LayeredGuard = {
  /** All types that a label of a sample may have. */
  types: readonly string[];
  judge(sample: PlacedSample): Promise<JudgedSample>;
};
/** Settings of a guard with a model. */
export type LayerModel = GuardModel & { when: 'doubt' | 'always' };

/** @param options in addition to those of the measurement @param model absent: rules, list or detector alone */
export async function createLayeredGuard(
  guard: LabelledGuard,
  options: JsonObject,
  model?: LayerModel,
): Promise<LayeredGuard> {
  const { processor, typesOption, buildOptions, readFound } = PROFILES[guard];
  const definitions = await loadProcessors('guardrails', model?.baseUrl);
  const types = listOptionValues(definitions, processor, typesOption);
  const asked = model && { model: JUDGE, when: model.when };
  const chain = createProcessorChain(definitions, [
    { processor, options: { ...buildOptions(types, asked), ...options }, skippable: model?.onFailure === 'skip' },
  ]);
  return {
    types,
    async judge(sample) {
      const verdicts = await chain.call('processInput', buildUserInput([sample.text]));
      const judgement = toJudgement(verdicts, 0, model);
      const [verdict] = verdicts;
      const isJudged = verdict !== undefined && verdict.type !== 'failure' && !judgement.rules.includes(NOT_JUDGED);
      const found = isJudged ? readFound(verdict, sample) : coverSample(sample, []);
      // The language in the metadata is no finding.
      const isCaught = guard === 'language' ? judgement.rules.some((rule) => rule !== NO_MODEL) : judgement.isCaught;
      return { sample, judgement: { ...judgement, isCaught }, spans: matchSpans(sample.spans ?? [], found) };
    },
  };
}

/** Returns the answers of a model for the guard's question. @param types of the guard */
export const createAnswers =
  (guard: LabelledGuard, types: readonly string[]): AnswerSample =>
  (sample, isRight) =>
    PROFILES[guard].answer(sample, isRight, types);
