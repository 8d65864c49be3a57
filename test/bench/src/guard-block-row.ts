// Longest time that each guard blocks the event loop, ms of processor time: a mebibyte of prose and of the guard's most
// expensive shape, with the first call of the process as a separate figure; for guards that report many hits, a text
// with thousands of hits too.
import type { JsonObject } from '@millrace/contracts';
import { createProcessorChain, loadProcessors, type ProcessorChain } from '@millrace/testkit/in-process';
import { asInput, listForms } from './guard-forms.ts';
import { GUARD_OPTIONS } from './guard-options.ts';
import { worstShapes } from './guard-rows.ts';
import { differentAddresses, hostileText, plainText } from './guard-texts.ts';
import { longestTurn } from './longest-turn.ts';
import { round, row, type BenchRow } from './measure.ts';

const KIB = 1_024;
const IDLE_MS = 200;
const ROUNDS = 3;

/** Guards with extra work per hit. */
const MORE: Readonly<Record<string, { processor: string; options: JsonObject }>> = {
  'pii-warn': { processor: 'pii', options: { strategy: 'warn' } },
  'pii-hash': { processor: 'pii', options: { method: 'hash' } },
  'pii-placeholder': { processor: 'pii', options: { method: 'placeholder' } },
  'regex-filter-warn': { processor: 'regex-filter', options: { presets: ['email'], strategy: 'warn' } },
};

export const guardBlockRows: Readonly<Record<string, () => Promise<BenchRow>>> = { 'guard-block': guardBlockRow };

async function guardBlockRow(): Promise<BenchRow> {
  const definitions = await loadProcessors('guardrails');
  const plain = (await plainText())(KIB);
  const guards = {
    ...Object.fromEntries(
      definitions
        .filter(({ id, stages }) => id in GUARD_OPTIONS && stages.includes('processInput'))
        .map(({ id }) => [id, { processor: id, options: GUARD_OPTIONS[id] ?? {} }]),
    ),
    ...MORE,
  };
  // The service loads the language data before it serves.
  await createProcessorChain(definitions, [{ processor: 'language' }]).call('processInput', asInput('a'));
  const detail: BenchRow['detail'] = {};
  for (const [name, guard] of Object.entries(guards)) {
    const [message] = definitions.filter(({ id }) => id === guard.processor).flatMap(listForms);
    if (!message) continue;
    const chain = createProcessorChain(definitions, [guard]);
    const holds = { First: await hold(chain, plain), Plain: await longestHold(chain, plain) };
    const { dearest: shape } = await worstShapes(chain, message);
    const more = name in MORE ? { Hits: await longestHold(chain, differentAddresses(KIB)) } : {};
    const all = { ...holds, Hostile: await longestHold(chain, hostileText(shape, KIB)), ...more };
    for (const [kind, ms] of Object.entries(all)) detail[`${name}${kind}`] = round(ms);
    detail[`${name}Shape`] = shape;
  }
  const longest = Math.max(...Object.values(detail).filter((figure) => typeof figure === 'number'));
  return row('guard-block', 'ms', longest, await idleMs(), detail);
}

const hold = (chain: ProcessorChain, text: string): Promise<number> =>
  longestTurn(() => chain.call('processInput', asInput(text)));

async function longestHold(chain: ProcessorChain, text: string): Promise<number> {
  let longest = 0;
  for (let count = 0; count < ROUNDS; count++) longest = Math.max(longest, await hold(chain, text));
  return longest;
}

/** Cost of the measurement itself. */
const idleMs = (): Promise<number> => longestTurn(() => new Promise((resolve) => setTimeout(resolve, IDLE_MS)));
