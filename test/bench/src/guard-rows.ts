// What a guard costs, in µs of processor time a KiB of text, all its threads together: prose and the shape that costs it most, at 1, 10, 100 and
// 1,000 KiB, in every form in which it meets texts. In this process, as on a replica; long texts go to its threads.
import { createProcessorChain, loadProcessors, type ProcessorChain } from '@millrace/testkit/in-process';
import { formsOf, GUARD_OPTIONS, type Form } from './guard-forms.ts';
import { hostileShapes, hostileText, plainText } from './guard-texts.ts';
import { round, row, type Row } from './measure.ts';

const SIZES = [1, 10, 100, 1_000];
/** The shape that costs most is looked for at this size. KiB. */
const TRIED_KIB = 20;
/** The size of a row's figure. KiB. */
const FIGURE_KIB = 100;
/** Calls are repeated until they have taken so long together. µs of processor time. */
const LEAST_US = 50_000;
const MAX_CALLS = 200;

export const guardRows: Readonly<Record<string, () => Promise<Row>>> = Object.fromEntries(
  Object.keys(GUARD_OPTIONS).map((processor) => [`guard-${processor}`, () => guardRow(processor)]),
);

async function guardRow(processor: string): Promise<Row> {
  const definitions = await loadProcessors('guardrails');
  const definition = definitions.find(({ id }) => id === processor);
  if (!definition) throw new Error(`There is no processor "${processor}".`);
  const chain = createProcessorChain(definitions, [{ processor, options: GUARD_OPTIONS[processor] ?? {} }]);
  const plain = await plainText();
  const detail: Row['detail'] = {};
  let figure = 0;
  for (const form of formsOf(definition)) {
    const shape = await worstShape(chain, form);
    const easy = await eachSize(chain, form, plain);
    figure ||= easy[SIZES.indexOf(FIGURE_KIB)] ?? 0;
    detail[form.name] = easy.join(' / ');
    detail[`${form.name} of ${shape}`] = (await eachSize(chain, form, (kib) => hostileText(shape, kib))).join(' / ');
  }
  return row(`guard-${processor}`, 'µs a KiB', figure, baseline(plain(FIGURE_KIB)), detail);
}

async function eachSize(chain: ProcessorChain, form: Form, textOf: (kib: number) => string): Promise<number[]> {
  const costs: number[] = [];
  for (const kib of SIZES) costs.push(round(await usPerKib(chain, form, textOf(kib))));
  return costs;
}

export async function worstShape(chain: ProcessorChain, form: Form): Promise<string> {
  const tried: { shape: string; us: number }[] = [];
  for (const shape of hostileShapes)
    tried.push({ shape, us: await usPerKib(chain, form, hostileText(shape, TRIED_KIB)) });
  return tried.toSorted((a, b) => b.us - a.us)[0]?.shape ?? '';
}

/** The mean of several calls, after one that warms up. */
async function usPerKib(chain: ProcessorChain, form: Form, text: string): Promise<number> {
  const input = form.inputOf(text);
  await chain.call(form.stage, input);
  const before = processUs();
  let calls = 0;
  do {
    await chain.call(form.stage, input);
    calls += 1;
  } while (processUs() - before < LEAST_US && calls < MAX_CALLS);
  return (processUs() - before) / calls / (text.length / 1_024);
}

function processUs(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}

/** What it costs to look at each character of the text once: in lower case. µs a KiB. */
function baseline(text: string): number {
  const rounds = 50;
  const before = processUs();
  let length = 0;
  for (let count = 0; count < rounds; count++) length += text.normalize('NFKC').toLowerCase().length;
  return ((processUs() - before) * 1_024) / Math.max(1, length);
}
