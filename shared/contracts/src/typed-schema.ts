// A schema under the type that code works with, where the inferred one is too wide to be of use (unions with "any other type",
// records of JSON). The schema still decides what passes; this only names what passed.
import type { z } from 'zod';

export function typed<T>(schema: z.ZodType): z.ZodType<T> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the one place where this is done, and why it exists
  return schema as z.ZodType<T>;
}
