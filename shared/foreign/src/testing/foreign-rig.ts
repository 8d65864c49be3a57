// A foreign processor called as a replica calls it: one stage, or the chunks of a step.
import type { CallEntry, Chunk, JsonObject, Stage, StageInput, Verdict } from '@millrace/contracts';
import { callStage, callStream, createHostedProcessors, type CallContext } from '@millrace/processor';
import { callContext, callEntry, stageCall, TEST_RUN } from '@millrace/testkit';
import { foreignProcessor, type ForeignDefinition, type ForeignSource } from '../reference/foreign-processor.ts';

export type ForeignCalled = {
  input?: Partial<StageInput>;
  state?: JsonObject;
  options?: JsonObject;
  definition?: Partial<ForeignDefinition>;
  context?: Partial<CallContext>;
};

function rig(source: ForeignSource, { state = {}, options = {}, definition }: ForeignCalled) {
  const processor = foreignProcessor(source, { id: 'foreign', version: '1.0.0', ...definition });
  const entry: CallEntry = callEntry('foreign', options, { state });
  return { hosted: createHostedProcessors([processor]), entry };
}

export async function callForeign(source: ForeignSource, stage: Stage, called: ForeignCalled = {}): Promise<Verdict> {
  const { hosted, entry } = rig(source, called);
  const call = stageCall(stage, [entry], called.input);
  const { verdicts } = await callStage(call, hosted, callContext(called.context));
  const [verdict] = verdicts;
  if (!verdict) throw new Error('a verdict was expected');
  return verdict;
}

export type ForeignStreamed = { chunks: Chunk[]; verdict: Verdict };

export async function streamForeign(
  source: ForeignSource,
  chunks: Chunk[],
  called: ForeignCalled = {},
): Promise<ForeignStreamed> {
  const { hosted, entry } = rig(source, called);
  const call = { entries: [entry], input: { retryCount: 0, stepNumber: 0, ...called.input } };
  const { chunks: out, verdicts } = await callStream(call, hosted, callContext(called.context), chunks);
  const [verdict] = verdicts;
  if (!verdict) throw new Error('a verdict was expected');
  return { chunks: out, verdict };
}

/** The output as texts and types. */
export const formatChunks = (chunks: readonly Chunk[]): string[] =>
  chunks.map((chunk) => (chunk.type === 'text-delta' ? chunk.payload.text : chunk.type));

export const finish: Chunk = {
  type: 'finish',
  runId: TEST_RUN.runId,
  from: 'AGENT',
  payload: { stepResult: { reason: 'stop' }, output: {}, messages: [] },
};
