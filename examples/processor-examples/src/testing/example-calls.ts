// An example called as a replica calls it: a stage, or the chunks of a step.
import type { Chunk, JsonObject, Stage, StageInput, Verdict } from '@millrace/contracts';
import { callStage, callStream, createHostedProcessors, type ProcessorDefinition } from '@millrace/processor';
import { callContext, callEntry, stageCall, streamedText } from '@millrace/testkit';

type CalledExample = {
  input?: Partial<StageInput>;
  options?: JsonObject;
  state?: JsonObject;
  retryCount?: number;
  stepNumber?: number;
};

export async function callExample(
  definition: ProcessorDefinition,
  stage: Stage,
  called: CalledExample = {},
): Promise<Verdict> {
  const { input, options, state = {}, retryCount = 0, stepNumber = 0 } = called;
  const call = stageCall(stage, [callEntry(definition.id, options, { state })], { ...input, retryCount, stepNumber });
  const { verdicts } = await callStage(
    call,
    createHostedProcessors([definition]),
    callContext({ retryCount, stepNumber }),
  );
  return takeFirst(verdicts);
}

/** The output, its text, and the final verdict. */
export async function streamExample(definition: ProcessorDefinition, chunks: Chunk[], { options }: CalledExample = {}) {
  const call = { entries: [callEntry(definition.id, options)], input: { retryCount: 0, stepNumber: 0 } };
  const answer = await callStream(call, createHostedProcessors([definition]), callContext(), chunks);
  return { chunks: answer.chunks, text: streamedText(answer.chunks), verdict: takeFirst(answer.verdicts) };
}

function takeFirst(verdicts: readonly Verdict[]): Verdict {
  const [verdict] = verdicts;
  if (!verdict) throw new Error('a verdict was expected');
  return verdict;
}
