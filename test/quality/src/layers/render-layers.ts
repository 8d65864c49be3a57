// Renders the settings of a guard in one table, and the detected languages by length.
import { tallyLayer } from '../model/layer-tally.ts';
import { countAndShare, renderPercent, renderTable } from '../render-report.ts';
import { countSamples, sumSpans } from '../tally.ts';
import type { LengthTally } from './length-tally.ts';
import type { MeasuredLayer } from './measure-layers.ts';

const HEADER =
  'SETTING|TEXTS|ASKED|%|CALLS A TEXT|TO CATCH|CAUGHT|%|OTHERS|FALSE ALARMS|%|LABELS|FOUND|%|PRECISION %'.split('|');

/** ASKED: texts that the model judged. FOUND and PRECISION: of the labels. */
export function renderSettings(layers: readonly MeasuredLayer[]): string {
  const rows = layers.map(({ setting, judged }) => {
    const { attacks, caught, benign, falseAlarms } = countSamples(judged);
    const { asked, texts, requests } = tallyLayer(judged);
    const { labelled, found, precision } = sumSpans(judged);
    return [
      setting.name,
      ...countAndShare(asked, texts),
      (requests / Math.max(1, texts)).toFixed(2),
      ...countAndShare(caught, attacks),
      ...countAndShare(falseAlarms, benign),
      ...countAndShare(found, labelled),
      renderPercent(precision),
    ];
  });
  return renderTable(HEADER, rows);
}

export function renderLengths(rows: Record<string, LengthTally>): string {
  const cells = Object.entries(rows).map(([name, { texts, right, wrong, undecided }]) => [
    name,
    ...[texts, right, wrong, undecided].map(String),
    renderPercent(right / Math.max(1, texts)),
  ]);
  return renderTable(['CHARACTERS', 'TEXTS', 'RIGHT', 'WRONG', 'UNDECIDED', '% RIGHT'], cells);
}
