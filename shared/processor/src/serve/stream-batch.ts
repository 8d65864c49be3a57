// Processes chunks that arrive complete in the open request itself (tool results, a finish): no session is kept, and
// the reply is the answer.
import type { CallContext } from '../verdict/entry-args.ts';
import type { HostedProcessors } from './hosted-processor.ts';
import type { Chunk, Verdict, CallEntry, StageInput } from '@millrace/contracts';
import { type StreamChain, createStreamChain } from './stream-chain.ts';

export type BatchAnswer = { chunks: Chunk[]; verdicts: Verdict[]; ms: number[] };
type CreateChain = (events: {
  output: (chunk: Chunk) => void;
  progress: () => void;
  onStopped: () => void;
}) => StreamChain;

export function streamBatch(createChain: CreateChain, parts: readonly Chunk[]): Promise<BatchAnswer> {
  return new Promise((resolve) => {
    const chunks: Chunk[] = [];
    const finish = () => {
      const answer = { chunks, verdicts: chain.readVerdicts(), ms: chain.readMs() };
      chain.close();
      resolve(answer);
    };
    const reportProgress = () => {
      if (chain.countProcessed() === parts.length) finish();
    };
    const chain = createChain({
      output: (chunk) => void chunks.push(chunk),
      progress: reportProgress,
      onStopped: finish,
    });
    if (parts.length === 0) finish();
    for (const part of parts) chain.push(part);
  });
}

/**
 * Passes the chunks of a step through the processors of a list as a stream session does, but without a bus: for tests
 * of processors and for the conformance suite.
 * @throws options-invalid; an error for a processor that `hosted` does not have
 */
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
