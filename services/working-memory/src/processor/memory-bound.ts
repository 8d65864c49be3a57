// Limits the size of a memory, and fits an update into it. Pure.
import type { JsonObject } from '@millrace/contracts';
import { mergeMemory } from './merge-memory.ts';
import type { WorkingMemoryOptions } from './options.ts';

/** Maximum size of a memory, in bytes of JSON: every prompt contains it, and a larger one is no summary. */
export const MEMORY_MAX_BYTES = 32_768;
/** Size from which nothing is added: a new fact would hardly fit, and every attempt costs a model call. */
export const MEMORY_FULL_BYTES = 30_720;

export function countBytes(memory: JsonObject): number {
  return Buffer.byteLength(JSON.stringify(memory));
}

export function isFull(memory: JsonObject | null): boolean {
  return memory !== null && countBytes(memory) >= MEMORY_FULL_BYTES;
}

/**
 * Returns the memory with as much of the update as fits: first the fields that make it smaller, then field by field,
 * smallest first. `leftOut`: the fields that do not fit.
 */
export function fitUpdate(
  memory: JsonObject,
  update: JsonObject,
  { strategy, arrays }: Pick<WorkingMemoryOptions, 'strategy' | 'arrays'>,
): { memory: JsonObject; leftOut: string[] } {
  const before = strategy === 'merge' ? memory : {};
  const whole = mergeMemory(before, update, arrays);
  if (countBytes(whole) <= MEMORY_MAX_BYTES) return { memory: whole, leftOut: [] };

  const growMemory = (from: JsonObject, [field, value]: [string, JsonObject[string]]) =>
    mergeMemory(from, Object.fromEntries([[field, value]]), arrays);
  const fields = Object.entries(update)
    .map((entry) => ({ entry, growth: countBytes(growMemory(before, entry)) - countBytes(before) }))
    .toSorted((a, b) => a.growth - b.growth);
  const leftOut: string[] = [];
  let kept = before;
  for (const { entry } of fields) {
    const next = growMemory(kept, entry);
    if (countBytes(next) <= MEMORY_MAX_BYTES) kept = next;
    else leftOut.push(entry[0]);
  }
  return { memory: kept, leftOut };
}
