// Cost of a stream guard in µs of processor time per delta: prose and the most expensive shape, in deltas of 1 and of 4
// characters. The row covers held text: the cost of a delta must depend on the new text, not on the held text.
import type { Chunk } from '@millrace/contracts';
import { commonArgs, loadProcessors, streamArgs, type ProcessorDefinition } from '@millrace/testkit/in-process';
import { PROMPT } from './guard-forms.ts';
import { DELTA_OPTIONS } from './guard-options.ts';
import { deltaShapes, deltaText, plainText } from './guard-texts.ts';
import { round, row, type BenchRow } from './measure.ts';

const SIZES = [1, 4];
const LENGTH = 24_000;

export const deltaRows: Readonly<Record<string, () => Promise<BenchRow>>> = Object.fromEntries(
  Object.keys(DELTA_OPTIONS).map((processor) => [`delta-${processor}`, () => deltaRow(processor)]),
);

async function deltaRow(processor: string): Promise<BenchRow> {
  const definition = (await loadProcessors('guardrails')).find(({ id }) => id === processor);
  if (!definition) throw new Error(`There is no processor "${processor}".`);
  const plain = (await plainText())(LENGTH / 1_024);
  const detail: BenchRow['detail'] = {};
  for (const size of SIZES) {
    await usPerDelta(definition, plain, size);
    detail[`plain${size}`] = round(await usPerDelta(definition, plain, size));
    const hostile = [];
    for (const shape of deltaShapes)
      hostile.push({ shape, us: await usPerDelta(definition, deltaText(shape, LENGTH, PROMPT), size) });
    const worst = hostile.toSorted((a, b) => b.us - a.us)[0];
    Object.assign(detail, { [`hostile${size}`]: round(worst?.us ?? 0), [`worst${size}`]: worst?.shape ?? '' });
  }
  return row(`delta-${processor}`, 'µs a delta', Number(detail['plain4']), baseline(plain), detail);
}

async function usPerDelta(definition: ProcessorDefinition, text: string, size: number): Promise<number> {
  const { processOutputStream } = definition.create(DELTA_OPTIONS[definition.id]);
  const args = streamArgs(delta(''), commonArgs());
  args.messageList.addSystem(PROMPT.repeat(20));
  await processOutputStream?.({ ...args, part: delta('x') });
  const before = process.cpuUsage();
  for (let at = 0; at < text.length; at += size) {
    const passed = processOutputStream?.({ ...args, part: delta(text.slice(at, at + size)) });
    if (passed instanceof Promise) await passed;
  }
  const { user, system } = process.cpuUsage(before);
  return (user + system) / Math.ceil(text.length / size);
}

const delta = (text: string): Chunk => ({ runId: 'r1', from: 'AGENT', type: 'text-delta', payload: { id: 'p', text } });

/** Writes each delta as JSON and reads it again, which is the cost of its transport. */
function baseline(text: string): number {
  const before = process.cpuUsage();
  let length = 0;
  for (let at = 0; at < text.length; at += 4)
    length += JSON.stringify(JSON.parse(JSON.stringify(delta(text.slice(at, at + 4))))).length;
  const { user, system } = process.cpuUsage(before);
  return length === 0 ? 0 : (user + system) / Math.ceil(text.length / 4);
}
