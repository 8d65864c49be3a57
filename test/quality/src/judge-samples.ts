// Every sample through the guards, several at once: what is long is judged on other threads.
import type { Guards, Judgement } from './guards.ts';
import { matchSpans, type SpanMatch } from './match-spans.ts';
import type { ScriptedJudge } from './model/scripted-judge.ts';
import type { PlacedSample } from './sample.ts';

const AT_ONCE = 4;

/** `spans`: only where the sample has labels for them. `requests`: to the judging model, where there is one. */
export type JudgedSample = { sample: PlacedSample; judgement: Judgement; spans?: SpanMatch; requests?: number };

/** In the order of the samples. @param judge told which of them it is asked about: one after the other */
export async function judgeSamples(
  guards: Guards,
  samples: readonly PlacedSample[],
  judge?: ScriptedJudge,
): Promise<JudgedSample[]> {
  const judged: JudgedSample[] = [];
  const left = samples.entries();
  const work = async () => {
    for (const [at, sample] of left) {
      judge?.about(sample);
      const before = judge?.requests() ?? 0;
      const one = await judgeSample(guards, sample);
      judged[at] = judge ? { ...one, requests: judge.requests() - before } : one;
    }
  };
  await Promise.all(Array.from({ length: judge ? 1 : AT_ONCE }, work));
  return judged;
}

async function judgeSample(guards: Guards, sample: PlacedSample): Promise<JudgedSample> {
  const { text, where, spans } = sample;
  try {
    const judgement = await (where === 'tool' ? guards.judgeTool(text) : guards.judgeUser([text]));
    if (!spans) return { sample, judgement };
    return { sample, judgement, spans: matchSpans(spans, await guards.findPersonalData(text)) };
  } catch (error) {
    throw new Error(`${sample.place} could not be judged.`, { cause: error });
  }
}
