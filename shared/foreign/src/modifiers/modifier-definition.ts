// What is said of a modifier when it is served.
import type { z } from 'zod';
import type { AdaptedDefinition } from '../made-of.ts';
import type { Metrics } from '../plain/plain-context.ts';

export type ModifierDefinition<S extends z.ZodType = z.ZodType> = AdaptedDefinition<S> & {
  /** Where `ctx.metrics` counts; nowhere, unless said. */
  metrics?: Metrics;
};
