// What a guard costs, in µs of processor time a KiB of text, all its threads together: prose, the shape that costs it most, and the shape whose
// cost grows most with its length, at 1, 10, 100 and 1,000 KiB, in every form in which it meets texts. In this process, as on a replica; long
// texts go to its threads.
import { createProcessorChain, loadProcessors, type ProcessorChain } from '@millrace/testkit/in-process';
import { formsOf, GUARD_OPTIONS, type Form } from './guard-forms.ts';
import { hostileShapes, hostileText, plainText } from './guard-texts.ts';
import { round, row, type Row, type SizedCost } from './measure.ts';

const SIZES = [1, 10, 100, 1_000];
/** All shapes are tried at these sizes: the dearest at the larger one is measured at all, and the one that grows most between them. KiB. */
const TRIED = { small: 10, large: 100 };
/** The size of a row's figure. KiB. */
const FIGURE_KIB = 100;
/** Calls are repeated until they have taken so long together. µs of processor time. */
const LEAST_US = 50_000;
const LEAST_TRIED_US = 10_000;
const MAX_CALLS = 200;
/** A text of more is long enough for one call, which others have warmed up. KiB. */
const MAX_WARMED_KIB = 10;

export const guardRows: Readonly<Record<string, () => Promise<Row>>> = Object.fromEntries(
  Object.keys(GUARD_OPTIONS).map((processor) => [`guard-${processor}`, () => guardRow(processor)]),
);

async function guardRow(processor: string): Promise<Row> {
  const definitions = await loadProcessors('guardrails');
  const definition = definitions.find(({ id }) => id === processor);
  if (!definition) throw new Error(`There is no processor "${processor}".`);
  const chain = createProcessorChain(definitions, [{ processor, options: GUARD_OPTIONS[processor] ?? {} }]);
  const plain = await plainText();
  const sizes: SizedCost[] = [];
  for (const form of formsOf(definition)) {
    sizes.push(await eachSize(chain, form, 'prose', plain));
    const { dearest, growing } = await worstShapes(chain, form);
    for (const shape of new Set([dearest, growing]))
      sizes.push(await eachSize(chain, form, shape, (kib) => hostileText(shape, kib)));
  }
  const figure = sizes[0]?.at.find(({ kib }) => kib === FIGURE_KIB)?.us ?? 0;
  const detail = Object.fromEntries(
    sizes.map(({ form, shape, at }) => [`${form} of ${shape}`, at.map(({ us }) => us).join(' / ')]),
  );
  return { ...row(`guard-${processor}`, 'µs a KiB', figure, baseline(plain(FIGURE_KIB)), detail), sizes };
}

async function eachSize(
  chain: ProcessorChain,
  form: Form,
  shape: string,
  textOf: (kib: number) => string,
): Promise<SizedCost> {
  const at: SizedCost['at'][number][] = [];
  for (const kib of SIZES) {
    const { us, isRefused } = await costOf(chain, form, textOf(kib), LEAST_US);
    at.push({ kib, us: round(us), isRefused });
  }
  return { form: form.name, shape, at };
}

/** The shape that costs most, and the one that costs more a KiB the more there is of it. */
export async function worstShapes(chain: ProcessorChain, form: Form): Promise<{ dearest: string; growing: string }> {
  const tried: { shape: string; us: number; growth: number }[] = [];
  for (const shape of hostileShapes) {
    const small = await costOf(chain, form, hostileText(shape, TRIED.small), LEAST_TRIED_US);
    const large = await costOf(chain, form, hostileText(shape, TRIED.large), LEAST_TRIED_US);
    tried.push({ shape, us: large.us, growth: large.us / small.us });
  }
  const [dearest] = tried.toSorted((a, b) => b.us - a.us);
  const [growing] = tried.toSorted((a, b) => b.growth - a.growth);
  return { dearest: dearest?.shape ?? '', growing: growing?.shape ?? '' };
}

/** The mean of several calls, after some that warm up where the text is short. */
async function costOf(
  chain: ProcessorChain,
  form: Form,
  text: string,
  leastUs: number,
): Promise<{ us: number; isRefused: boolean }> {
  const input = form.inputOf(text);
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
/** So many times as long as is measured. */
const WARM = 3;
const REFUSED = new Set<string>(['abort', 'halt', 'failure']);

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
