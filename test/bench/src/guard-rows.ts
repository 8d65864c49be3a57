// Cost of a guard in µs of processor time per KiB of text, all its threads together: prose, the most expensive shape,
// and the shape with the fastest growing cost, at 1, 10, 100 and 1,000 KiB, in every form of text. Runs in this
// process, as on a replica; long texts go to its threads.
import { createProcessorChain, loadProcessors, type ProcessorChain } from '@millrace/testkit/in-process';
import { listForms, type Form } from './guard-forms.ts';
import { GUARD_OPTIONS } from './guard-options.ts';
import { hostileShapes, hostileText, plainText } from './guard-texts.ts';
import { round, row, type BenchRow, type SizedCost } from './measure.ts';

const SIZES = [1, 10, 100, 1_000];
/**
 * Sizes at which all shapes are tried, KiB. The most expensive shape at the larger size and the one with the fastest
 * growth between them are measured fully.
 */
const TRIED = { small: 10, large: 100 };
/** Size of a row's figure, KiB. */
const FIGURE_KIB = 100;
/** Minimum total time of repeated calls, µs of processor time. */
const LEAST_US = 50_000;
const LEAST_TRIED_US = 10_000;
const MAX_CALLS = 200;
/** A longer text takes one call without a warm-up of its own, KiB. */
const MAX_WARMED_KIB = 10;

export const guardRows: Readonly<Record<string, () => Promise<BenchRow>>> = Object.fromEntries(
  Object.keys(GUARD_OPTIONS).map((processor) => [`guard-${processor}`, () => guardRow(processor)]),
);

async function guardRow(processor: string): Promise<BenchRow> {
  const definitions = await loadProcessors('guardrails');
  const definition = definitions.find(({ id }) => id === processor);
  if (!definition) throw new Error(`There is no processor "${processor}".`);
  const chain = createProcessorChain(definitions, [{ processor, options: GUARD_OPTIONS[processor] ?? {} }]);
  const plain = await plainText();
  const sizes: SizedCost[] = [];
  for (const form of listForms(definition)) {
    sizes.push(await measureSizes(chain, form, 'prose', plain));
    const { dearest, growing } = await worstShapes(chain, form);
    for (const shape of new Set([dearest, growing]))
      sizes.push(await measureSizes(chain, form, shape, (kib) => hostileText(shape, kib)));
  }
  const figure = sizes[0]?.at.find(({ kib }) => kib === FIGURE_KIB)?.us ?? 0;
  const detail = Object.fromEntries(
    sizes.map(({ form, shape, at }) => [`${form} of ${shape}`, at.map(({ us }) => us).join(' / ')]),
  );
  return { ...row(`guard-${processor}`, 'µs a KiB', figure, baseline(plain(FIGURE_KIB)), detail), sizes };
}

async function measureSizes(
  chain: ProcessorChain,
  form: Form,
  shape: string,
  makeText: (kib: number) => string,
): Promise<SizedCost> {
  const at: SizedCost['at'][number][] = [];
  for (const kib of SIZES) {
    const { us, isRefused } = await measureCost(chain, form, makeText(kib), LEAST_US);
    at.push({ kib, us: round(us), isRefused });
  }
  return { form: form.name, shape, at };
}

/** Returns the most expensive shape, and the one with the fastest growing cost per KiB. */
export async function worstShapes(chain: ProcessorChain, form: Form): Promise<{ dearest: string; growing: string }> {
  const tried: { shape: string; us: number; growth: number }[] = [];
  for (const shape of hostileShapes) {
    const small = await measureCost(chain, form, hostileText(shape, TRIED.small), LEAST_TRIED_US);
    const large = await measureCost(chain, form, hostileText(shape, TRIED.large), LEAST_TRIED_US);
    tried.push({ shape, us: large.us, growth: large.us / small.us });
  }
  const [dearest] = tried.toSorted((a, b) => b.us - a.us);
  const [growing] = tried.toSorted((a, b) => b.growth - a.growth);
  return { dearest: dearest?.shape ?? '', growing: growing?.shape ?? '' };
}

/** Returns the mean of several calls, after a warm-up for short texts. */
async function measureCost(
  chain: ProcessorChain,
  form: Form,
  text: string,
  leastUs: number,
): Promise<{ us: number; isRefused: boolean }> {
  const input = form.makeInput(text);
  const kib = text.length / 1_024;
  if (kib <= MAX_WARMED_KIB) await warmUp(() => chain.call(form.stage, input), leastUs);
  const before = processUs();
  let [calls, isRefused] = [0, false];
  do {
    const verdicts = await chain.call(form.stage, input);
    isRefused = verdicts.some(({ type }) => REFUSED.has(type));
    calls += 1;
  } while (processUs() - before < leastUs && calls < MAX_CALLS);
  return { us: (processUs() - before) / calls / kib, isRefused };
}

async function warmUp(call: () => Promise<unknown>, leastUs: number): Promise<void> {
  const before = processUs();
  do await call();
  while (processUs() - before < leastUs * WARM);
}
/** Length of the warm-up as a multiple of the measurement. */
const WARM = 3;
const REFUSED = new Set<string>(['abort', 'halt', 'failure']);

function processUs(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}

/** Cost of reading each character once, by lower-casing the text. µs per KiB. */
function baseline(text: string): number {
  const rounds = 50;
  const before = processUs();
  let length = 0;
  for (let count = 0; count < rounds; count++) length += text.normalize('NFKC').toLowerCase().length;
  return ((processUs() - before) * 1_024) / Math.max(1, length);
}
