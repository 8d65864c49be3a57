// A model that judges by the label of the current line, behind the provider's HTTP protocol. Its error rate is
// configured, because the contribution of a model depends on its quality. It errs on the same lines in every run.
import { createHash } from 'node:crypto';
import type { JsonObject } from '@millrace/contracts';
import { startTestProvider } from '@millrace/testkit/in-process';
import type { PlacedSample } from '../sample.ts';
import type { JudgeSpec } from './judge-spec.ts';

export type ScriptedJudge = {
  baseUrl: string;
  /** Sets the line that is judged next. One at a time. */
  setSample(sample: PlacedSample): void;
  /** Number of requests so far, including retries. */
  countRequests(): number;
  close(): Promise<void>;
};

const STATUS = { outage: 503, quota: 429 };

/** Returns the model's answer about the sample, a right or a wrong one. */
export type AnswerSample = (sample: PlacedSample, isRight: boolean) => JsonObject;

/** Answers the question of prompt-injection: 1 for an attack. */
const answerAttack: AnswerSample = ({ label }, isRight) => ({ attack: (label === 'attack') === isRight ? 1 : 0 });

export async function startScriptedJudge(spec: JudgeSpec, answer = answerAttack): Promise<ScriptedJudge> {
  const provider = await startTestProvider();
  if (spec.kind !== 'scripted') {
    provider.failAlways({ status: STATUS[spec.kind], headers: { 'retry-after-ms': '1' } });
  }
  return {
    baseUrl: provider.baseUrl,
    setSample: (sample) => {
      if (spec.kind === 'scripted') provider.answer(() => answer(sample, isJudgedRight(sample, spec.errorRate)));
    },
    countRequests: () => provider.requests.length,
    close: () => provider.close(),
  };
}

/** Depends on the text alone. */
const isJudgedRight = ({ text }: PlacedSample, errorRate: number): boolean =>
  createHash('sha256').update(text).digest().readUInt32BE() / 2 ** 32 >= errorRate;
