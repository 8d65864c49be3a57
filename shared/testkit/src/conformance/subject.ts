// What the conformance suite is run on: a processor, options that fit it, and what it is called with.
import type { Chunk, JsonObject, JsonValue, Stage, StageInput, Verdict } from '@millrace/contracts';
import { callStage, callStream, createHostedProcessors, type ProcessorDefinition } from '@millrace/processor';
import { callContext, callEntry, stageCall } from '../stage-call.ts';

export type ConformanceCase = {
  /** Sets of options that fit; all of the suite is run with each. One empty set if absent. */
  options?: readonly JsonObject[];
  /** What the stages are called with, beside an input of a plain turn and one with nothing in it. */
  inputs?: Partial<Record<Stage, readonly Partial<StageInput>[]>>;
  /**
   * Answers of a model whose stream must come to the same however it is cut into chunks. Empty, or absent, for processors whose
   * output depends on the cut by design.
   */
  texts?: readonly string[];
};

export type Subject = Required<ConformanceCase> & { definition: ProcessorDefinition };

/** Throws, with what is wrong, where the processor breaks the contract. */
export type Check = { name: string; run(subject: Subject): Promise<void> | void };

export type Called = { options: JsonObject; input: Partial<StageInput>; state?: JsonObject; resumeData?: JsonValue };

/** The verdict of one call, as a replica gives it. */
export async function call(
  definition: ProcessorDefinition,
  stage: Stage,
  called: Called,
): Promise<Verdict | undefined> {
  const { options, input, state = {}, resumeData } = called;
  const entries = [callEntry(definition.id, options, { state, ...(resumeData !== undefined && { resumeData }) })];
  const hosted = createHostedProcessors([definition]);
  const { verdicts } = await callStage(stageCall(stage, entries, input), hosted, callContext());
  return verdicts[0];
}

export type Streamed = { chunks: Chunk[]; verdict: Verdict | undefined };

/** What comes out of the processor alone, and its verdict at the end. */
export async function stream(
  definition: ProcessorDefinition,
  { options, input }: Called,
  chunks: readonly Chunk[],
): Promise<Streamed> {
  const call = { entries: [callEntry(definition.id, options)], input: { retryCount: 0, stepNumber: 0, ...input } };
  const answer = await callStream(call, createHostedProcessors([definition]), callContext(), chunks);
  return { chunks: answer.chunks, verdict: answer.verdicts[0] };
}
