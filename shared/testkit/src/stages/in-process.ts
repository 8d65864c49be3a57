// Exports the parts for the quality program: processors in its own process, without a bus and a test runner.
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { createModels, type Models } from '@millrace/models';
import { type ProcessorDefinition, callStage, createHostedProcessors } from '@millrace/processor';
import { z } from 'zod';
import { jsonObjectSchema, type JsonObject, type Stage, type StageInput, type Verdict } from '@millrace/contracts';
import { callContext, callEntry, stageCall } from './stage-call.ts';

export { commonArgs, streamArgs } from './method-args.ts';
export { NOTES_TOOL } from './notes-tool.ts';
export { startTestProvider } from '@millrace/models/testing';
export { describeProcessor, type ProcessorDefinition } from '@millrace/processor';

const root = resolve(import.meta.dirname, '../../../..');

const definitionSchema = z.custom<ProcessorDefinition>(
  (value) => z.looseObject({ id: z.string(), create: z.function() }).safeParse(value).success,
);
const listSchema = z.array(definitionSchema);
const moduleSchema = z.object({
  PROCESSORS: listSchema,
  createProcessors: z.custom<(models: Models) => unknown>((value) => typeof value === 'function').optional(),
});

/**
 * Loads the list in `processors.ts` of the service by its path, because no package may import a service.
 * @throws if the file is missing
 */
export async function loadProcessors(service: string, modelUrl?: string): Promise<ProcessorDefinition[]> {
  const file = resolve(root, 'services', service, 'src/processors.ts');
  const { PROCESSORS, createProcessors } = moduleSchema.parse(await import(pathToFileURL(file).href));
  if (modelUrl === undefined || !createProcessors) return PROCESSORS;
  return listSchema.parse(createProcessors(createModels({ apiKey: 'none', baseUrl: modelUrl })));
}

const lateSchema = z.object({ options: jsonObjectSchema, atStep: z.literal(true).optional() });
const caseSchema = z.object({
  bench: z.union([z.literal('none'), jsonObjectSchema]),
  deltas: jsonObjectSchema.optional(),
  late: z.array(lateSchema).optional(),
});
export type LoadedCase = z.output<typeof caseSchema>;

/** Loads the options of tests outside of the service guardrails, by processor. */
export async function loadGuardCases(): Promise<Record<string, LoadedCase>> {
  const file = resolve(root, 'services/guardrails/src/testing/guard-cases.ts');
  const module: unknown = await import(pathToFileURL(file).href);
  return z.object({ GUARD_CASES: z.record(z.string(), caseSchema) }).parse(module).GUARD_CASES;
}

/** One use of a processor, by its id. */
/** `skippable`: the entry's policy is `skip`, and no attempt is left. */
export type ChainEntry = { processor: string; options?: JsonObject; skippable?: boolean };
export type ProcessorChain = {
  /** Every call starts with empty state. Returns fewer verdicts than entries if one stopped the stage. */
  call(stage: Stage, input: Partial<StageInput>): Promise<Verdict[]>;
};

/** Calls processors one after the other as a replica does, without a bus. */
export function createProcessorChain(
  definitions: readonly ProcessorDefinition[],
  chain: readonly ChainEntry[],
): ProcessorChain {
  const hosted = createHostedProcessors(definitions);
  const entries = chain.map(({ processor, options, skippable }) => ({
    ...callEntry(processor, options),
    ...(skippable === true && { skippable }),
  }));
  return {
    async call(stage, input) {
      const { verdicts } = await callStage(stageCall(stage, entries, input), hosted, callContext());
      return verdicts;
    },
  };
}
