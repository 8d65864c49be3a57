// A model's opinion on texts that the rules do not stop: asked where they leave a doubt, or always; once for each text of a stage call.
import type { CommonArgs } from '@millrace/processor';
import { refuseUnjudged, type Hit } from '../guard/report.ts';
import type { GuardModels } from '../model/guard-models.ts';
import { exceededByModel } from '../model/model-bounds.ts';
import { createModelJudge, type ModelJudge } from '../model/model-judge.ts';
import { injectionQuestion, type InjectionVerdict } from './injection-question.ts';
import type { JudgedText } from './judged-texts.ts';
import type { PromptInjectionOptions } from './prompt-injection-options.ts';
import type { Judgement } from './signals.ts';

type Speaker = JudgedText['from'];
type Asked = { text: string; judgement: Judgement };

export type Asking = {
  /** What this stage call has been told already. */
  known: Map<string, number>;
  /** Several messages read together: asked about only where together they leave a doubt. */
  isJoint: boolean;
};
export type SecondOpinion = {
  /** For each text a hit of all of it, or none. */
  hitsOf(args: CommonArgs, texts: readonly Asked[], from: Speaker, asking: Asking): Promise<Hit[][]>;
};

/** Of a hit that the model alone has found: there is no place to cut out. */
export const MODEL_RULE = 'model';

/** undefined where no model is named. */
export function secondOpinion(models: GuardModels, options: PromptInjectionOptions): SecondOpinion | undefined {
  const { model, when, modelThreshold, modelTimeoutMs: timeoutMs, response } = options;
  if (model === undefined) return undefined;
  const judgeFor = (from: Speaker): ModelJudge<InjectionVerdict> =>
    createModelJudge({ models, model, timeoutMs, question: injectionQuestion(from) });
  const judges: Record<Speaker, ModelJudge<InjectionVerdict>> = { user: judgeFor('user'), tool: judgeFor('tool') };
  const isAsked = ({ text, judgement }: Asked, isJoint: boolean): boolean =>
    text.trim() !== '' && judgement.score < options.threshold && ((when === 'always' && !isJoint) || judgement.doubt);
  return {
    async hitsOf(args, texts, from, { known, isJoint }) {
      const keyOf = (text: string) => `${from} ${text}`;
      const asked = texts.filter((one) => isAsked(one, isJoint)).map(({ text }) => text);
      const fresh = [...new Set(asked)].filter((text) => !known.has(keyOf(text)));
      const exceeded = exceededByModel(fresh);
      if (exceeded) refuseUnjudged(args, response, exceeded);
      const answers = await judges[from].askEach(fresh, args.abortSignal);
      for (const [at, text] of fresh.entries()) known.set(keyOf(text), answers[at]?.attack ?? 1);
      return texts.map((one) => {
        const attack = isAsked(one, isJoint) ? (known.get(keyOf(one.text)) ?? 0) : 0;
        if (attack < modelThreshold) return [];
        return [{ rule: MODEL_RULE, start: 0, end: one.text.length, detail: { score: attack } }];
      });
    },
  };
}
