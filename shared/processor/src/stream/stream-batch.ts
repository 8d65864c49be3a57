// Processes chunks that arrive complete in the open request itself (tool results, a finish): no session is kept, and
// the reply is the answer.
import type { Chunk, Verdict } from '@millrace/contracts';
import type { StreamChain } from './stream-chain.ts';

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
