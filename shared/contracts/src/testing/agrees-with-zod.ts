// Compares checkFit with zod.
import { isDeepStrictEqual } from 'node:util';
import type { z } from 'zod';
import { checkFit } from '../base/json-fit.ts';

/** @param value a result of JSON.parse */
export function agreesWithZod(schema: z.ZodType, value: unknown): boolean {
  const fit = checkFit(schema, value);
  const parsed = schema.safeParse(value);
  if (fit === 'as-is') return parsed.success && isDeepStrictEqual(parsed.data, value);
  return fit === 'ask' || !parsed.success;
}
