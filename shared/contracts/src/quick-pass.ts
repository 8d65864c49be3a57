// A schema with a short cut: what comes by the hundred thousand and fits at a glance is let through as it is, everything else is the
// schema's. The schema alone says what the wire is: JSON Schemas are made of it, and issues come from it.
import type { z } from 'zod';

/** @param fits must hold for nothing that the schema would refuse or change: a test compares them */
export function withQuickPass<T>(schema: z.ZodType<T>, fits: (value: unknown) => boolean): z.ZodType<T> {
  // By the one method with which zod's containers ask a member's schema: zod shows it to those who build on it.
  // oxlint-disable-next-line no-underscore-dangle -- zod's name for what it shows them
  const internals = schema._zod;
  const { run } = internals;
  internals.run = (payload, context) => (fits(payload.value) ? payload : run(payload, context));
  return schema;
}
