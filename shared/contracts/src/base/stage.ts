// The ten stages of a run, in the order of a run, and the three lists of an agent that they belong to.
import { z } from 'zod';

export const STAGES = [
  'processInput',
  'processInputStep',
  'processLLMRequest',
  'processAPIError',
  'processOutputStream',
  'processLLMResponse',
  'processOutputStep',
  'processToolCall',
  'processToolResult',
  'processOutputResult',
] as const;

export const stageSchema = z.enum(STAGES);
export type Stage = (typeof STAGES)[number];

export const listSchema = z.enum(['input', 'output', 'error']);
export type ListName = z.infer<typeof listSchema>;

/** The list that serves each stage. See docs/semantics.md. */
export const LIST_OF_STAGE: Record<Stage, ListName> = {
  processInput: 'input',
  processInputStep: 'input',
  processLLMRequest: 'input',
  processLLMResponse: 'input',
  processToolCall: 'input',
  processOutputStream: 'output',
  processOutputStep: 'output',
  processToolResult: 'output',
  processOutputResult: 'output',
  processAPIError: 'error',
};

export function listStagesOfList(list: ListName): Stage[] {
  return STAGES.filter((stage) => LIST_OF_STAGE[stage] === list);
}

/**
 * Data that a processor may declare in its reads. A stage call carries nothing else, so that its cost does not grow
 * with the thread. input, response, remembered, context: messages of that source. system: the system messages. prompt:
 * the provider prompt. steps: the results of earlier steps. chunks: the step's chunks (processLLMResponse; in processOutputStream those before a batch behind the answer). tools: the
 * tools' full definitions. request: the request body sent to the model's provider, and its response without the stream
 * (processLLMResponse).
 */
export const readsSchema = z.enum([
  'input',
  'response',
  'remembered',
  'context',
  'system',
  'prompt',
  'steps',
  'chunks',
  'tools',
  'request',
]);
export type Reads = z.infer<typeof readsSchema>;
export const READS_ALL: readonly Reads[] = readsSchema.options;

/** For all stages, or by stage: an absent stage reads nothing. */
export const readsByStageSchema = z.union([z.array(readsSchema), z.partialRecord(stageSchema, z.array(readsSchema))]);
export type ReadsByStage = z.infer<typeof readsByStageSchema>;

export function findReadsAt(reads: ReadsByStage, stage: Stage): readonly Reads[] {
  return Array.isArray(reads) ? reads : (reads[stage] ?? []);
}
