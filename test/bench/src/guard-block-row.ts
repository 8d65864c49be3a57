// How long each guard holds the event loop at a stretch, ms: a mebibyte of prose and of the shape that costs it most, the first call of the process
// included, since it is the first one that somebody waits behind.
import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { JsonObject } from '@millrace/contracts';
import { createProcessorChain, loadProcessors, type ProcessorChain } from '@millrace/testkit/in-process';
import { asInput, GUARD_OPTIONS, worstShape } from './guard-rows.ts';
import { hostileText, plainText } from './guard-texts.ts';
import { round, row, type Row } from './measure.ts';

const KIB = 1_024;
const IDLE_MS = 200;

/** Guards that do more for what they find. */
const MORE: Readonly<Record<string, { processor: string; options: JsonObject }>> = {
  'pii-hash': { processor: 'pii', options: { method: 'hash' } },
  'pii-placeholder': { processor: 'pii', options: { method: 'placeholder' } },
};

export const guardBlockRows: Readonly<Record<string, () => Promise<Row>>> = { 'guard-block': guardBlockRow };

async function guardBlockRow(): Promise<Row> {
  const definitions = await loadProcessors('guardrails');
  const plain = (await plainText())(KIB);
  const guards = {
    ...Object.fromEntries(
      Object.entries(GUARD_OPTIONS).map(([processor, options]) => [processor, { processor, options }]),
    ),
    ...MORE,
  };
  const detail: Row['detail'] = {};
  let longest = 0;
  for (const [name, guard] of Object.entries(guards)) {
    const chain = createProcessorChain(definitions, [guard]);
    const held = await longestHold(chain, plain);
    const shape = await worstShape(chain);
    const heldHostile = await longestHold(chain, hostileText(shape, KIB));
    detail[`${name}Plain`] = round(held);
    detail[`${name}Hostile`] = round(heldHostile);
    detail[`${name}Shape`] = shape;
    longest = Math.max(longest, held, heldHostile);
  }
  return row('guard-block', 'ms', longest, await idleMs(), detail);
}

async function longestHold(chain: ProcessorChain, text: string): Promise<number> {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  await chain.call('processInput', asInput(text));
  delay.disable();
  return delay.max / 1e6;
}

/** What the machine itself comes to: others run on it too. */
async function idleMs(): Promise<number> {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  await new Promise((resolve) => setTimeout(resolve, IDLE_MS));
  delay.disable();
  return delay.max / 1e6;
}
