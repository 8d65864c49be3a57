// npm run -s quality -- [--guard GUARD] [--data DIR] [--json FILE] [--misses] [--half looked-at|kept] [--disguises] [--bars] [--options
// JSON] [--model MODEL] [--on-failure POLICY]: measures on labeled texts how many attacks the guards catch, how many
// benign texts they stop, and how much personal data they find. `--guard moderation|language|names` measures that guard
// without a model and with several. README.md in the parent folder describes the form of a
// line.
import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { jsonObjectSchema } from '@millrace/contracts';
import { z } from 'zod';
import { LABELLED_GUARDS } from './guard-samples.ts';
import { createGuards } from './guards.ts';
import { reportLayers } from './layers/report-layers.ts';
import { selectHalf } from './sample-half.ts';
import { judgeDisguises } from './judge-disguises.ts';
import { judgeSamples } from './judge-samples.ts';
import { measureBars } from './measure-bars.ts';
import { renderMisses } from './render-misses.ts';
import { parseJudgeSpec } from './model/judge-spec.ts';
import { tallyLayers } from './model/layer-tally.ts';
import { startScriptedJudge } from './model/scripted-judge.ts';
import { readSamples, SamplesError } from './read-samples.ts';
import { renderBars, renderDisguises, renderLayers, reportText } from './render-report.ts';
import { tally, countUnknownTypes } from './tally.ts';

const { values } = parseArgs({
  options: {
    guard: { type: 'string', default: 'prompt-injection' },
    data: { type: 'string', default: resolve(import.meta.dirname, '../samples') },
    json: { type: 'string' },
    misses: { type: 'boolean', default: false },
    half: { type: 'string' },
    disguises: { type: 'boolean', default: false },
    bars: { type: 'boolean', default: false },
    options: { type: 'string', default: '{}' },
    model: { type: 'string' },
    'on-failure': { type: 'string', default: 'fail' },
  },
});

const policySchema = z.enum(['fail', 'skip']);
const guardSchema = z.enum(['prompt-injection', ...LABELLED_GUARDS]);
const writeJson = async (value: object): Promise<void> => {
  if (values.json !== undefined) await writeFile(values.json, `${JSON.stringify(value, null, 2)}\n`);
};

try {
  const guard = guardSchema.parse(values.guard);
  const onFailure = policySchema.parse(values['on-failure']);
  const options = jsonObjectSchema.parse(JSON.parse(values.options));
  const samples = selectHalf(await readSamples(resolve(values.data), guard), values.half);
  if (guard !== 'prompt-injection') {
    if (values.bars || values.disguises)
      throw new SamplesError([`--bars and --disguises measure prompt-injection; remove them, or --guard ${guard}.`]);
    const { model, misses } = values;
    const report = await reportLayers(guard, samples, { model, onFailure, options, misses });
    console.log(report.text);
    await writeJson(report.json);
    process.exit();
  }
  const judge = values.model === undefined ? undefined : await startScriptedJudge(parseJudgeSpec(values.model));
  const guards = await createGuards(options, judge && { baseUrl: judge.baseUrl, onFailure });
  if (values.bars) {
    console.log(renderBars(await measureBars(guards, samples)));
    process.exit();
  }
  const started = performance.now();
  const judged = await judgeSamples(guards, samples, judge);
  const seconds = (performance.now() - started) / 1_000;
  const report = tally(judged, guards.piiTypes);
  if (values.misses) console.log(renderMisses(judged));
  console.log(reportText(report));
  const layer = judge && tallyLayers(judged);
  if (layer) console.log(`\n${renderLayers(layer)}`);
  for (const [type, count] of countUnknownTypes(judged, guards.piiTypes))
    console.error(`${count} spans are labelled "${type}", which pii does not look for: they are not counted`);
  console.error(`${samples.length} lines, ${Math.round(samples.length / seconds)} a second`);
  const disguises = values.disguises ? await judgeDisguises(guards, judged) : undefined;
  if (disguises) console.log(`\n${renderDisguises(disguises)}`);
  await writeJson({ ...report, seconds, ...(layer && { layer }), ...(disguises && { disguises }) });
} catch (error) {
  if (!(error instanceof SamplesError)) throw error;
  console.error(error.message);
  process.exit(1);
}
process.exit();
