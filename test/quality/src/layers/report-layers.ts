// Measures a guard with samples of its own and returns the report, for `--guard`.
import type { JsonObject } from '@millrace/contracts';
import type { LabelledGuard } from '../guard-samples.ts';
import { parseJudgeSpec } from '../model/judge-spec.ts';
import { renderMisses } from '../render-misses.ts';
import { reportText } from '../render-report.ts';
import type { PlacedSample } from '../sample.ts';
import { countSamples, sumSpans, tally } from '../tally.ts';
import type { LayerModel } from './labelled-guards.ts';
import { tallyLengths } from './length-tally.ts';
import { listSettings, listWhens, measureLayers } from './measure-layers.ts';
import { renderLengths, renderSettings } from './render-layers.ts';

export type LayerFlags = {
  /** Value of `--model`; absent: no model, and each of the usual ones. */
  model: string | undefined;
  onFailure: LayerModel['onFailure'];
  options: JsonObject;
  misses: boolean;
};

/** Reports the first setting in detail, and all in one table. @returns the text, and an object for `--json` */
export async function reportLayers(
  guard: LabelledGuard,
  samples: readonly PlacedSample[],
  { model, onFailure, options, misses }: LayerFlags,
): Promise<{ text: string; json: object }> {
  const settings =
    model === undefined ? listSettings() : listWhens(`${model}, ${onFailure}`, parseJudgeSpec(model), onFailure);
  const { types, layers } = await measureLayers(guard, samples, settings, options);
  const [first] = layers;
  const judged = first?.judged ?? [];
  const lengths = guard === 'language' ? tallyLengths(judged) : undefined;
  const sections = [
    ...(misses ? [renderMisses(judged)] : []),
    `In detail: ${first?.setting.name}`,
    reportText(tally(judged, types)),
    ...(lengths ? [renderLengths(lengths)] : []),
    renderSettings(layers),
  ];
  const rows = layers.map(({ setting, judged: some }) => ({
    setting: setting.name,
    total: countSamples(some),
    spans: sumSpans(some),
    requests: some.reduce((sum, { requests = 0 }) => sum + requests, 0),
  }));
  return { text: sections.join('\n\n'), json: { settings: rows, ...(lengths && { lengths }) } };
}
