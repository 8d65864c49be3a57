// Defines timeouts in ms, and computes the default one of an entry: a processor that calls a model only if its options
// name one needs more time with those options. Node fires a timer above MAX_TIMEOUT_MS at once, so no timeout may
// exceed it.
import { z } from 'zod';
import type { JsonObject, JsonSchema } from '../base/json.ts';
import { readOption } from './stage-changes.ts';

/** 2^31 - 1, about 24 days. */
export const MAX_TIMEOUT_MS = 2_147_483_647;

export const timeoutMsSchema = z.number().int().positive().max(MAX_TIMEOUT_MS);

/** Limits a computed duration to the range of a timer. */
export function asTimeoutMs(ms: number): number {
  return Math.min(Math.max(Math.round(ms), 1), MAX_TIMEOUT_MS);
}

/** `option`: a top-level option with a duration in ms. It is added if the entry's options set `when`. */
export const addedTimeoutSchema = z.object({
  when: z.string().describe('name of the top-level option that enables the addition'),
  option: z.string().describe('name of the top-level option with the milliseconds to add'),
});

export type TimeoutPolicy = { timeoutMs: number; addedTimeout?: z.infer<typeof addedTimeoutSchema> | undefined };

/**
 * Returns the timeout in ms of an entry that sets none. An added value that is no timeout counts as 0.
 * @param optionsSchema its default is used if the options do not set the value
 */
export function resolveTimeoutMs(
  { timeoutMs, addedTimeout }: TimeoutPolicy,
  optionsSchema: JsonSchema,
  options: JsonObject,
): number {
  if (!addedTimeout || readOption(optionsSchema, options, addedTimeout.when) === undefined) return timeoutMs;
  const added = timeoutMsSchema.safeParse(readOption(optionsSchema, options, addedTimeout.option));
  return added.success ? asTimeoutMs(timeoutMs + added.data) : timeoutMs;
}
