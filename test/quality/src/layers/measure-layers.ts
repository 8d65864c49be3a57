// Judges the samples of a guard in several settings: without a model, and with a model that is right, errs, or fails.
import type { JsonObject } from '@millrace/contracts';
import type { LabelledGuard } from '../guard-samples.ts';
import { judgeEach, type JudgedSample } from '../judge-samples.ts';
import type { JudgeSpec } from '../model/judge-spec.ts';
import { startScriptedJudge } from '../model/scripted-judge.ts';
import { SamplesError } from '../read-samples.ts';
import type { PlacedSample } from '../sample.ts';
import { createAnswers, createLayeredGuard, type LayerModel } from './labelled-guards.ts';

/** `model`: absent for the guard without one. */
export type LayerSetting = { name: string; model?: Omit<LayerModel, 'baseUrl'> & { spec: JudgeSpec } };
export type MeasuredLayer = { setting: LayerSetting; judged: JudgedSample[] };

const ALONE: LayerSetting = { name: 'no model' };
const ERROR_RATE = 0.1;
const MODELS: readonly [string, JudgeSpec, LayerModel['onFailure']][] = [
  ['always right', { kind: 'scripted', errorRate: 0 }, 'fail'],
  ['errs on 10 %', { kind: 'scripted', errorRate: ERROR_RATE }, 'fail'],
  ['outage, fail', { kind: 'outage' }, 'fail'],
  ['outage, skip', { kind: 'outage' }, 'skip'],
];

/** Lists the guard without a model, then each model with `doubt` and with `always`. */
export const listSettings = (): LayerSetting[] => [ALONE, ...MODELS.flatMap((row) => listWhens(...row))];

/** Lists the settings of one model. */
export const listWhens = (name: string, spec: JudgeSpec, onFailure: LayerModel['onFailure']): LayerSetting[] =>
  (['doubt', 'always'] as const).map((when) => ({ name: `${name}, ${when}`, model: { spec, onFailure, when } }));

/** @throws SamplesError if a label has a type that the guard does not know */
export async function measureLayers(
  guard: LabelledGuard,
  samples: readonly PlacedSample[],
  settings: readonly LayerSetting[],
  options: JsonObject = {},
): Promise<{ types: readonly string[]; layers: MeasuredLayer[] }> {
  const { types } = await createLayeredGuard(guard, options);
  rejectUnknownTypes(samples, types);
  const layers: MeasuredLayer[] = [];
  for (const setting of settings) {
    layers.push({ setting, judged: await judgeInSetting(guard, samples, setting, { types, options }) });
  }
  return { types, layers };
}

async function judgeInSetting(
  guard: LabelledGuard,
  samples: readonly PlacedSample[],
  { model }: LayerSetting,
  { types, options }: { types: readonly string[]; options: JsonObject },
): Promise<JudgedSample[]> {
  if (!model) return judgeEach((await createLayeredGuard(guard, options)).judge, samples);
  const judge = await startScriptedJudge(model.spec, createAnswers(guard, types));
  try {
    const layered = await createLayeredGuard(guard, options, { ...model, baseUrl: judge.baseUrl });
    return await judgeEach(layered.judge, samples, judge);
  } finally {
    await judge.close();
  }
}

function rejectUnknownTypes(samples: readonly PlacedSample[], types: readonly string[]): void {
  const unknown = samples.flatMap(({ place, spans = [] }) =>
    spans.flatMap(({ type }) => (types.includes(type) ? [] : [`${place}: "${type}" is none of ${types.join(', ')}`])),
  );
  if (unknown.length > 0) throw new SamplesError(unknown);
}
