// Defines the subject of the conformance suite: a processor, valid options, and input.
import type { Chunk, JsonObject, JsonValue, Stage, StageInput, Verdict } from '@millrace/contracts';
import { callStage, callStream, createHostedProcessors, type ProcessorDefinition } from '@millrace/processor';
import { callContext, callEntry, stageCall } from '../stages/stage-call.ts';

export type ConformanceCase = {
  /** Sets of options that fit; all of the suite is run with each. One empty set if absent. */
  options?: readonly JsonObject[];
  /** Input of the stages, in addition to a plain turn and an empty input. */
  inputs?: Partial<Record<Stage, readonly Partial<StageInput>[]>>;
  /**
   * Answers of a model with output that must not depend on their cuts. Empty or absent for processors with output that
   * depends on the cut by design.
   */
  texts?: readonly string[];
};

export type Subject = Required<ConformanceCase> & { definition: ProcessorDefinition };

/** Throws with the problem if the processor violates the contract. */
export type ConformanceCheck = { name: string; run(subject: Subject): Promise<void> | void };

export type CalledStage = {
  options: JsonObject;
  input: Partial<StageInput>;
  state?: JsonObject;
  resumeData?: JsonValue;
};

/** The verdict of one call, as a replica gives it. */
export async function call(
  definition: ProcessorDefinition,
  stage: Stage,
  called: CalledStage,
): Promise<Verdict | undefined> {
  const { options, input, state = {}, resumeData } = called;
  const entries = [callEntry(definition.id, options, { state, ...(resumeData !== undefined && { resumeData }) })];
  const hosted = createHostedProcessors([definition]);
  const { verdicts } = await callStage(stageCall(stage, entries, input), hosted, callContext());
  return verdicts[0];
}

export type SubjectStreamed = { chunks: Chunk[]; verdict: Verdict | undefined };

/** The output of the processor alone, and its final verdict. */
export async function stream(
  definition: ProcessorDefinition,
  { options, input }: CalledStage,
  chunks: readonly Chunk[],
): Promise<SubjectStreamed> {
  const call = { entries: [callEntry(definition.id, options)], input: { retryCount: 0, stepNumber: 0, ...input } };
  const answer = await callStream(call, createHostedProcessors([definition]), callContext(), chunks);
  return { chunks: answer.chunks, verdict: answer.verdicts[0] };
}
