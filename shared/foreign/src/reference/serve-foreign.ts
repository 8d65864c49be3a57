// All of a main.ts that serves a processor of the reference, unmodified.
import { runProcessorService } from '@millrace/processor';
import type { z } from 'zod';
import { foreignProcessor, type ForeignDefinition, type ForeignSource } from './foreign-processor.ts';

/** Ends the process: 0 after a signal and a drain, 1 with the reason. The service is named like the processor. */
export function serveForeign<S extends z.ZodType>(
  source: ForeignSource<S>,
  definition: ForeignDefinition<S>,
): Promise<void> {
  const { id, version } = definition;
  return runProcessorService({ name: id, version, processors: [foreignProcessor(source, definition)] });
}
