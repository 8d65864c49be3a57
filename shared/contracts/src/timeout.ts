// Defines timeouts in ms. Node fires a timer above MAX_TIMEOUT_MS at once, so no timeout may exceed it.
import { z } from 'zod';

/** 2^31 - 1, about 24 days. */
export const MAX_TIMEOUT_MS = 2_147_483_647;

export const timeoutMsSchema = z.number().int().positive().max(MAX_TIMEOUT_MS);

/** Limits a computed duration to the range of a timer. */
export function asTimeoutMs(ms: number): number {
  return Math.min(Math.max(Math.round(ms), 1), MAX_TIMEOUT_MS);
}
