// What fits at a glance, held against what zod says.
import { isDeepStrictEqual } from 'node:util';
import type { z } from 'zod';
import { fitOf } from '../json-fit.ts';

/** @param value as JSON.parse gives it */
export function agreesWithZod(schema: z.ZodType, value: unknown): boolean {
  const fit = fitOf(schema, value);
  const parsed = schema.safeParse(value);
  if (fit === 'as-is') return parsed.success && isDeepStrictEqual(parsed.data, value);
  return fit === 'ask' || !parsed.success;
}
