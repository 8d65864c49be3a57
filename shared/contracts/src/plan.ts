// A plan is what `agents apply` makes of an agent: every list resolved into entries in their final order, with what discovery
// said of each processor. A run follows the stored plan; discovery at run time only merges adjacent entries and finds replicas.
import { z } from 'zod';
import { agentSchema, onFailureSchema, whenSchema } from './agent.ts';
import { jsonObjectSchema, jsonSchemaSchema } from './json.ts';
import { toolDefinitionSchema } from './model.ts';
import { listSchema, readsSchema, stageSchema, type Stage } from './stage.ts';
import { timeoutMsSchema } from './timeout.ts';
import { tokenSchema } from './tokens.ts';

export const planEntrySchema = z.object({
  entry: tokenSchema,
  processor: tokenSchema,
  service: tokenSchema,
  version: z.string(),
  lists: z.array(listSchema).min(1),
  stages: z.array(stageSchema),
  reads: z.array(readsSchema),
  processDataParts: z.boolean(),
  options: jsonObjectSchema,
  required: z.boolean(),
  memory: z.boolean(),
  timeoutMs: timeoutMsSchema,
  attempts: z.number().int().positive(),
  onFailure: onFailureSchema,
  when: whenSchema.optional().describe('called in such runs only'),
});
export type PlanEntry = z.infer<typeof planEntrySchema>;

/** What an entry of a caller is made of: the processor as it was when the agent was applied. `lists`: where it can stand. */
export const overridableSchema = planEntrySchema.extend({ optionsSchema: jsonSchemaSchema });
export type Overridable = z.infer<typeof overridableSchema>;

/** For each stage, the names of its entries in calling order. A processor that stands in two lists is one entry. */
export const planSchema = z.object({
  entries: z.record(tokenSchema, planEntrySchema),
  order: z.partialRecord(stageSchema, z.array(tokenSchema)),
  tools: z.array(toolDefinitionSchema),
  overridable: z.record(tokenSchema, overridableSchema).optional().describe('what callers may list, by processor'),
});
export type Plan = z.infer<typeof planSchema>;

export const appliedAgentSchema = z.object({
  agent: agentSchema,
  plan: planSchema,
  revision: z.number().int().min(0).describe('0 until stored'),
  appliedAt: z.string(),
});
export type AppliedAgent = z.infer<typeof appliedAgentSchema>;

export function entriesOf(plan: Plan, stage: Stage): PlanEntry[] {
  return (plan.order[stage] ?? []).flatMap((name) => plan.entries[name] ?? []);
}

/** Stages that a processor has and that no list of the agent calls, by processor. */
export function uncalledStages(plan: Plan): Map<string, Stage[]> {
  const uncalled = new Map<string, Stage[]>();
  const called = new Set(
    Object.entries(plan.order).flatMap(([stage, names]) =>
      names.map((name) => `${stage} ${plan.entries[name]?.processor ?? ''}`),
    ),
  );
  for (const { processor, stages } of Object.values(plan.entries)) {
    const missing = stages.filter((stage) => !called.has(`${stage} ${processor}`));
    if (missing.length > 0) uncalled.set(processor, missing);
  }
  return uncalled;
}
