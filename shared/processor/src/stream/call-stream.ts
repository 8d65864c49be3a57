// Passes the chunks of a step through the processors of a list as a stream session does, but without a bus: for tests
// of processors and for the conformance suite.
import type { CallEntry, Chunk, StageInput } from '@millrace/contracts';
import type { CallContext } from '../entry-args.ts';
import type { HostedProcessors } from '../serve/hosted-processor.ts';
import { createStreamChain } from './stream-chain.ts';
import { streamBatch, type BatchAnswer } from './stream-batch.ts';

/** @throws options-invalid; an error for a processor that `hosted` does not have */
export function callStream(
  { entries, input }: { entries: readonly CallEntry[]; input: StageInput },
  hosted: HostedProcessors,
  context: CallContext,
  chunks: readonly Chunk[],
): Promise<BatchAnswer> {
  const members = entries.map((entry) => {
    const found = hosted(entry);
    if (!found) throw new Error(`"${entry.processor}" is not among the hosted processors`);
    return { entry, hosted: found };
  });
  return streamBatch((events) => createStreamChain(members, input, context, events), chunks);
}
