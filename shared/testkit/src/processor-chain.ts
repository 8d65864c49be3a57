// Processors called one after the other as a replica calls them, without a bus: made once, for many calls.
import type { JsonObject, Stage, StageInput, Verdict } from '@millrace/contracts';
import { callStage, createHostedProcessors, type ProcessorDefinition } from '@millrace/processor';
import { callContext, callEntry, stageCall } from './stage-call.ts';

/** One use of a processor, by its id. */
export type ChainEntry = { processor: string; options?: JsonObject };
export type ProcessorChain = {
  /** Every call begins with empty state. Fewer verdicts than entries where one stopped the stage. */
  call(stage: Stage, input: Partial<StageInput>): Promise<Verdict[]>;
};

export function createProcessorChain(
  definitions: readonly ProcessorDefinition[],
  chain: readonly ChainEntry[],
): ProcessorChain {
  const hosted = createHostedProcessors(definitions);
  const entries = chain.map(({ processor, options }) => callEntry(processor, options));
  return {
    async call(stage, input) {
      const { verdicts } = await callStage(stageCall(stage, entries, input), hosted, callContext());
      return verdicts;
    },
  };
}
