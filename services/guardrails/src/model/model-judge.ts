// One question to a model about one text: bounded in input and time, given up with the stage call, answered by a value that was
// checked, or failed by a coded error that the agent's policy decides on. Nothing that the model words goes any further.
import { MillraceError, toJsonSchema, type JsonSchema } from '@millrace/contracts';
import type { z } from 'zod';
import type { GuardModels } from './guard-models.ts';
import { untrustedPrompt } from './untrusted-prompt.ts';

export type Question<A> = {
  /** A short id: the title of the answer's schema. */
  name: string;
  /** What to judge and how to answer. */
  instructions: string;
  /** Numbers, enums and lists: whatever a model can be talked into must fit in here. */
  answer: z.ZodType<A>;
};

export type ModelJudge<A> = {
  /** @throws model-call-failed, extraction-failed; the signal's reason when the call was given up */
  ask(text: string, signal: AbortSignal): Promise<A>;
  /** One call for each text, some at a time, answers in their order. The first failure gives up the others. */
  askEach(texts: readonly string[], signal: AbortSignal): Promise<A[]>;
};

export type ModelJudgeOptions<A> = { models: GuardModels; model: string; timeoutMs: number; question: Question<A> };

const MAX_AT_ONCE = 4;

export function createModelJudge<A>({ models, model, timeoutMs, question }: ModelJudgeOptions<A>): ModelJudge<A> {
  const { name, instructions, answer } = question;
  const schema: JsonSchema = { ...toJsonSchema(answer), title: name };
  async function ask(text: string, signal: AbortSignal): Promise<A> {
    const overdue = AbortSignal.timeout(timeoutMs);
    const abortSignal = AbortSignal.any([signal, overdue]);
    try {
      const given = await models.generateObject({ model, schema, ...untrustedPrompt(instructions, text), abortSignal });
      return answer.parse(given);
    } catch (error) {
      signal.throwIfAborted();
      if (!overdue.aborted) throw error;
      throw new MillraceError('model-call-failed', `${model} did not answer within ${timeoutMs} ms.`, {
        remedy: 'Raise modelTimeoutMs, or use a faster model.',
        cause: error,
      });
    }
  }
  return {
    ask,
    async askEach(texts, signal) {
      const first = new AbortController();
      const either = AbortSignal.any([signal, first.signal]);
      const left = [...texts.entries()];
      const answers: A[] = [];
      const work = async () => {
        for (let next = left.shift(); next; next = left.shift()) answers[next[0]] = await ask(next[1], either);
      };
      try {
        await Promise.all(Array.from({ length: Math.min(MAX_AT_ONCE, texts.length) }, work));
      } catch (error) {
        left.length = 0;
        first.abort(error);
        throw error;
      }
      return answers;
    },
  };
}
