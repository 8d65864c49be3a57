// How large a memory may be, and what of an update still fits. Pure.
import type { JsonObject } from '@millrace/contracts';
import { mergeMemory } from './merge-memory.ts';
import type { Options } from './options.ts';

/** A memory stands in every prompt; more than this is no summary any more. Bytes of JSON. */
export const MEMORY_MAX_BYTES = 32_768;
/** From here on nothing is added: what a conversation says would hardly fit, and every try costs a model call. */
export const MEMORY_FULL_BYTES = 30_720;

export function bytesOf(memory: JsonObject): number {
  return Buffer.byteLength(JSON.stringify(memory));
}

export function isFull(memory: JsonObject | null): boolean {
  return memory !== null && bytesOf(memory) >= MEMORY_FULL_BYTES;
}

/**
 * The memory with as much of the update as fits: first what makes it smaller, then field by field, the smallest first.
 * `leftOut`: the fields that do not.
 */
export function fitted(
  memory: JsonObject,
  update: JsonObject,
  { strategy, arrays }: Pick<Options, 'strategy' | 'arrays'>,
): { memory: JsonObject; leftOut: string[] } {
  const before = strategy === 'merge' ? memory : {};
  const whole = mergeMemory(before, update, arrays);
  if (bytesOf(whole) <= MEMORY_MAX_BYTES) return { memory: whole, leftOut: [] };

  const grown = (from: JsonObject, [field, value]: [string, JsonObject[string]]) =>
    mergeMemory(from, Object.fromEntries([[field, value]]), arrays);
  const fields = Object.entries(update)
    .map((entry) => ({ entry, growth: bytesOf(grown(before, entry)) - bytesOf(before) }))
    .toSorted((a, b) => a.growth - b.growth);
  const leftOut: string[] = [];
  let kept = before;
  for (const { entry } of fields) {
    const next = grown(kept, entry);
    if (bytesOf(next) <= MEMORY_MAX_BYTES) kept = next;
    else leftOut.push(entry[0]);
  }
  return { memory: kept, leftOut };
}
