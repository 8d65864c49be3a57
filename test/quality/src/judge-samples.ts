// Judges every sample, several concurrently, because worker threads judge long texts.
import type { Guards } from './guards.ts';
import type { SampleJudgement } from './read-verdicts.ts';
import { matchSpans, type SpanMatch } from './match-spans.ts';
import type { ScriptedJudge } from './model/scripted-judge.ts';
import type { PlacedSample } from './sample.ts';

const AT_ONCE = 4;

/** `spans`: only if the sample has labels for them. `requests`: to the judging model, if there is one. */
export type JudgedSample = { sample: PlacedSample; judgement: SampleJudgement; spans?: SpanMatch; requests?: number };

export const judgeSamples = (
  guards: Guards,
  samples: readonly PlacedSample[],
  judge?: ScriptedJudge,
): Promise<JudgedSample[]> => judgeEach((sample) => judgeSample(guards, sample), samples, judge);

/**
 * Returns results in the order of the samples. @param judge receives the current sample; samples then run one after the
 * other @throws with the place of a sample that could not be judged
 */
export async function judgeEach(
  judgeOne: (sample: PlacedSample) => Promise<JudgedSample>,
  samples: readonly PlacedSample[],
  judge?: ScriptedJudge,
): Promise<JudgedSample[]> {
  const judged: JudgedSample[] = [];
  const left = samples.entries();
  const work = async () => {
    for (const [at, sample] of left) {
      judge?.setSample(sample);
      const before = judge?.countRequests() ?? 0;
      const one = await judgeOne(sample).catch((cause: unknown) => {
        throw new Error(`${sample.place} could not be judged.`, { cause });
      });
      judged[at] = judge ? { ...one, requests: judge.countRequests() - before } : one;
    }
  };
  await Promise.all(Array.from({ length: judge ? 1 : AT_ONCE }, work));
  return judged;
}

async function judgeSample(guards: Guards, sample: PlacedSample): Promise<JudgedSample> {
  const { text, where, spans } = sample;
  const judgement = await (where === 'tool' ? guards.judgeTool(text) : guards.judgeUser([text]));
  if (!spans) return { sample, judgement };
  return { sample, judgement, spans: matchSpans(spans, await guards.findPersonalData(text)) };
}
