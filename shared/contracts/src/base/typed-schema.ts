// Gives a schema a narrower type if the inferred one is too wide to be useful (unions with "any other type", records of
// JSON). The schema still decides which values pass.
import type { z } from 'zod';

export function castSchema<T>(schema: z.ZodType): z.ZodType<T> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the one place where this is done, and why it exists
  return schema as z.ZodType<T>;
}
