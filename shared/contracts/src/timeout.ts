// How long somebody waits, in ms. Node fires a timer at once that is longer than MAX_TIMEOUT_MS, so nobody may ask for one.
import { z } from 'zod';

/** 2^31 - 1, about 24 days. */
export const MAX_TIMEOUT_MS = 2_147_483_647;

export const timeoutMsSchema = z.number().int().positive().max(MAX_TIMEOUT_MS);

/** A duration that was calculated, as one that a timer takes. */
export function asTimeoutMs(ms: number): number {
  return Math.min(Math.max(Math.round(ms), 1), MAX_TIMEOUT_MS);
}
