// Every sample through the guards, several at once: what is long is judged on other threads.
import type { Guards, Judgement } from './guards.ts';
import { matchSpans, type SpanMatch } from './match-spans.ts';
import type { PlacedSample } from './sample.ts';

const AT_ONCE = 4;

/** `spans`: only where the sample has labels for them. */
export type JudgedSample = { sample: PlacedSample; judgement: Judgement; spans?: SpanMatch };

/** In the order of the samples. */
export async function judgeSamples(guards: Guards, samples: readonly PlacedSample[]): Promise<JudgedSample[]> {
  const judged: JudgedSample[] = [];
  const left = samples.entries();
  const work = async () => {
    for (const [at, sample] of left) judged[at] = await judgeSample(guards, sample);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
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
