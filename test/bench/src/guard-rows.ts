// What a guard costs, in µs a KiB of input: prose and the shape that costs it most, in four sizes, and how long it holds the event
// loop. In this process, as on a replica; long texts go to its threads.
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { textMessage, type JsonObject } from '@millrace/contracts';
import { createProcessorChain, loadProcessors, type ProcessorChain } from '@millrace/testkit/in-process';
import { hostileShapes, hostileText, plainText } from './guard-texts.ts';
import { round, row, type Row } from './measure.ts';

/** Options of those that take none by default, or do nothing. */
export const GUARD_OPTIONS: Readonly<Record<string, JsonObject>> = {
  'unicode-normalizer': {},
  'prompt-injection': { strategy: 'warn' },
  pii: {},
  secrets: {},
  'regex-filter': { presets: ['email', 'url', 'ip-address'], strategy: 'redact' },
  keyword: { keywords: ['nightingale', 'project x'], strategy: 'redact' },
  moderation: { mode: 'words', strategy: 'warn' },
  language: {},
  'content-length': { maxInput: 10_000_000 },
  'token-limiter': { limit: 10_000_000 },
};
const SIZES = [1, 10, 100, 1_000];
/** The shape that costs most is looked for at this size. KiB. */
const TRIED_KIB = 10;
/** The size of a row's figure. KiB. */
const FIGURE_KIB = 100;
const MIN_ROUNDS = 3;
const MAX_ROUNDS = 20;
const MAX_MS = 1_000;

export const guardRows: Readonly<Record<string, () => Promise<Row>>> = Object.fromEntries(
  Object.keys(GUARD_OPTIONS).map((processor) => [`guard-${processor}`, () => guardRow(processor)]),
);

async function guardRow(processor: string): Promise<Row> {
  const options = GUARD_OPTIONS[processor] ?? {};
  const chain = createProcessorChain(await loadProcessors('guardrails'), [{ processor, options }]);
  const plain = await plainText();
  const worst = await worstShape(chain);
  const detail: Row['detail'] = { worst };
  for (const kib of SIZES) {
    const [easy, hard] = [await measured(chain, plain(kib)), await measured(chain, hostileText(worst, kib))];
    detail[`plain${kib}`] = round(easy.usPerKib);
    detail[`hostile${kib}`] = round(hard.usPerKib);
    if (hard.verdict !== 'continue') detail[`hostile${kib}Verdict`] = hard.verdict;
    if (kib === SIZES.at(-1)) Object.assign(detail, { holdsMs: round(Math.max(easy.holdsMs, hard.holdsMs)) });
  }
  const text = plain(FIGURE_KIB);
  return row(`guard-${processor}`, 'µs a KiB', Number(detail[`plain${FIGURE_KIB}`]), baseline(text), detail);
}

export async function worstShape(chain: ProcessorChain): Promise<string> {
  const tried: { shape: string; usPerKib: number }[] = [];
  for (const shape of hostileShapes)
    tried.push({ shape, usPerKib: (await measured(chain, hostileText(shape, TRIED_KIB))).usPerKib });
  return tried.toSorted((a, b) => b.usPerKib - a.usPerKib)[0]?.shape ?? '';
}

export const asInput = (text: string) => ({
  conversation: {
    entries: [{ source: 'input' as const, message: textMessage('m0', 'user', text) }],
    system: [],
  },
});

type Measured = { usPerKib: number; holdsMs: number; verdict: string };

/** The median of several calls, after one that warms up. */
async function measured(chain: ProcessorChain, text: string): Promise<Measured> {
  let [verdict] = await chain.call('processInput', asInput(text));
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  const times: number[] = [];
  const started = performance.now();
  while (times.length < MIN_ROUNDS || (times.length < MAX_ROUNDS && performance.now() - started < MAX_MS)) {
    const before = performance.now();
    [verdict] = await chain.call('processInput', asInput(text));
    times.push(performance.now() - before);
  }
  delay.disable();
  const median = times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0;
  return {
    usPerKib: (median * 1_000) / (text.length / 1_024),
    holdsMs: delay.max / 1e6,
    verdict: verdict?.type ?? 'none',
  };
}

/** What it costs to look at each character of the text once: in lower case. µs a KiB. */
function baseline(text: string): number {
  const rounds = 50;
  const started = performance.now();
  let length = 0;
  for (let count = 0; count < rounds; count++) length += text.normalize('NFKC').toLowerCase().length;
  return ((performance.now() - started) * 1_000 * 1_024) / Math.max(1, length);
}
