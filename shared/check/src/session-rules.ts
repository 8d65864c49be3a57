// Validates the batches of one session by docs/wire.md, section 4.
import { SESSION_LIMITS, checkPassedChunks, type Chunk, type SessionOutput, type Verdict } from '@millrace/contracts';
import { fail } from './rule-error.ts';
import { createPartOrder } from './open-parts.ts';

/** The orchestrator's end of the session, which the caller updates. `served`: entries that the replica serves. */
export type CheckedSessionInput = {
  session: string;
  runId: string;
  /** True if the open request allows ranges. */
  allowsRanges: boolean;
  sent: Chunk[];
  served: number;
  isEndSent: boolean;
  isStopped: boolean;
};
export type SessionRules = {
  /** @param bytes size of the message @throws BrokenError for the first violation */
  hold(output: SessionOutput, bytes: number): void;
  /** The output so far with resolved ranges. */
  chunks: readonly Chunk[];
  countProcessed(): number;
  readVerdicts(): Verdict[] | undefined;
};

export function createSessionRules(input: CheckedSessionInput): SessionRules {
  const { session, runId, sent } = input;
  const chunks: Chunk[] = [];
  const findPartProblem = createPartOrder();
  const resolveRange = createRangeRules(input);
  let verdicts: Verdict[] | undefined;
  let [next, processed, received] = [0, 0, 0];

  function hold(output: SessionOutput, bytes: number): void {
    if (output.session !== session) fail('a batch of another session arrived', output);
    if (output.sequence !== next)
      fail(`the batches are not numbered densely: ${output.sequence} arrived instead of ${next}`, output);
    next += 1;
    if (verdicts) fail('a batch arrived after the one with the verdicts', output);
    if (output.processed < processed) fail(`"processed" went back from ${processed} to ${output.processed}`, output);
    if (output.chunks.length > 1 && bytes > SESSION_LIMITS.maxBatchBytes + BATCH_HEAD_BYTES)
      fail(`a batch of ${bytes} bytes exceeds the limit of ${SESSION_LIMITS.maxBatchBytes}`);
    received += bytes;
    if (received > MAX_SESSION_BYTES) fail(`the session sent more than ${MAX_SESSION_BYTES} bytes`);
    const before = processed;
    processed = Math.min(output.processed, sent.length);
    holdChunks(output, [...resolveRange(output, before), ...output.chunks]);
    if (!output.verdicts) return;
    holdEnd(input, output, output.verdicts);
    verdicts = output.verdicts;
  }
  function holdChunks(output: SessionOutput, added: readonly Chunk[]): void {
    if (added.length > 0 && sent.length === 0) fail('chunks were sent before any input', output);
    const passed = checkPassedChunks(runId, [], output.chunks);
    if ('refused' in passed) fail(passed.refused, output);
    for (const chunk of added) {
      const problem = findPartProblem(chunk);
      if (problem !== undefined) fail(problem, output);
    }
    chunks.push(...added);
  }
  return { hold, chunks, countProcessed: () => processed, readVerdicts: () => verdicts };
}

/** Returns a function that resolves the range of a batch. @param before count of processed chunks before the batch */
function createRangeRules({ allowsRanges, sent }: CheckedSessionInput) {
  let named = 0;
  return ({ same, ...output }: SessionOutput, before: number): Chunk[] => {
    if (!same) return [];
    const { from, count } = same;
    if (!allowsRanges) fail('chunks are sent as ranges, but the request did not set "same"', output);
    if (from < named) fail(`the chunks from ${from} on were named before, or are out of order`, { same });
    if (from < before) fail(`chunk ${from} is named after the batch that reported it as processed`, { same });
    if (from + count > sent.length) fail(`chunk ${from + count - 1} is named and was not sent`, { same });
    named = from + count;
    return sent.slice(from, from + count);
  };
}

function holdEnd(
  { served, isStopped, isEndSent, sent }: CheckedSessionInput,
  output: SessionOutput,
  verdicts: Verdict[],
): void {
  if (verdicts.length > served) fail(`${verdicts.length} verdicts for ${served} entries`, output);
  if (isStopped && verdicts.length < served) fail('a verdict is missing in the answer to "tell"', output);
  if (isStopped || verdicts.some(({ type }) => type !== 'continue')) return;
  if (!isEndSent) fail('the session ended with "continue" before its end was sent', output);
  if (output.processed < sent.length)
    fail(`the session ended after ${output.processed} of ${sent.length} chunks`, output);
  if (verdicts.length < served) fail('the session ended well, with a verdict missing', output);
}

/** Allowance for the members of a batch other than its chunks. */
const BATCH_HEAD_BYTES = 4_096;
/** Exceeds the output of every session of a check. */
const MAX_SESSION_BYTES = 64 * 1024 * 1024;
