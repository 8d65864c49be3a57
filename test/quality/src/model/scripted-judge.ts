// A model that judges by the label of the line that is judged, behind the provider's protocol over HTTP: what a layer with a model adds
// depends on the model, and this one is as good as it is said to be. It errs on the same lines in every run.
import { createHash } from 'node:crypto';
import { startTestProvider } from '@millrace/testkit/in-process';
import type { PlacedSample } from '../sample.ts';
import type { JudgeSpec } from './judge-spec.ts';

export type ScriptedJudge = {
  baseUrl: string;
  /** The line that is judged from now on. One at a time. */
  about(sample: PlacedSample): void;
  /** Requests so far, those that were tried again included. */
  requests(): number;
  close(): Promise<void>;
};

const STATUS = { outage: 503, quota: 429 };

export async function startScriptedJudge(spec: JudgeSpec): Promise<ScriptedJudge> {
  const provider = await startTestProvider();
  if (spec.kind !== 'scripted') {
    provider.failAlways({ status: STATUS[spec.kind], headers: { 'retry-after-ms': '1' } });
  }
  return {
    baseUrl: provider.baseUrl,
    about: (sample) =>
      provider.answer(() => ({ attack: spec.kind === 'scripted' ? verdictOn(sample, spec.errorRate) : 0 })),
    requests: () => provider.requests.length,
    close: () => provider.close(),
  };
}

/** 1: an attempt. */
function verdictOn({ text, label }: PlacedSample, errorRate: number): 0 | 1 {
  const isRight = createHash('sha256').update(text).digest().readUInt32BE() / 2 ** 32 >= errorRate;
  return (label === 'attack') === isRight ? 1 : 0;
}
