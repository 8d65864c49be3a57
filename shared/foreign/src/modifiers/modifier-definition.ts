// Describes a modifier as a service.
import type { z } from 'zod';
import type { AdaptedDefinition } from '../processor-source.ts';
import type { Metrics } from '../plain/plain-context.ts';

export type ModifierDefinition<S extends z.ZodType = z.ZodType> = AdaptedDefinition<S> & {
  /** Receives the counts of `ctx.metrics`. Default: they are dropped. */
  metrics?: Metrics;
};
