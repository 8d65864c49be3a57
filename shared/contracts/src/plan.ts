// A plan is what `agents apply` makes of an agent: every list resolved into entries in their final order, with what discovery
// said of each processor. A run follows the stored plan; discovery at run time only merges adjacent entries and finds replicas.
import { z } from 'zod';
import { agentSchema, onFailureSchema, overlapSchema, whenSchema } from './agent.ts';
import { jsonObjectSchema, jsonSchemaSchema } from './json.ts';
import { toolDefinitionSchema } from './model.ts';
import { LIST_OF_STAGE, listSchema, readsByStageSchema, stageSchema, type Stage } from './stage.ts';
import { resolvedChangesSchema, stageChangesSchema } from './stage-changes.ts';
import { timeoutMsSchema } from './timeout.ts';
import { tokenSchema } from './tokens.ts';

export const planEntrySchema = z.object({
  entry: tokenSchema,
  processor: tokenSchema,
  service: tokenSchema,
  version: z.string(),
  lists: z.array(listSchema).min(1),
  stages: z.array(stageSchema),
  reads: readsByStageSchema,
  changes: resolvedChangesSchema.optional().describe('whether it may change something there; what is not named may be'),
  processDataParts: z.boolean(),
  processCutOff: z.boolean().optional().describe('processLLMResponse is told of model calls that were cut off, too'),
  rewritesAnswers: z.boolean().optional(),
  options: jsonObjectSchema,
  required: z.boolean(),
  memory: z.boolean(),
  timeoutMs: timeoutMsSchema,
  attempts: z.number().int().positive(),
  onFailure: onFailureSchema,
  when: whenSchema.optional().describe('called in such runs only'),
  observe: z.literal(true).optional().describe('asked and not waited for'),
});
export type PlanEntry = z.infer<typeof planEntrySchema>;

/** What an entry of a caller is made of: the processor as it was when the agent was applied. `lists`: where it can stand. */
export const overridableSchema = planEntrySchema.extend({
  optionsSchema: jsonSchemaSchema,
  declaredChanges: stageChangesSchema
    .optional()
    .describe('what it says that it changes: the options of the caller decide'),
});
export type Overridable = z.infer<typeof overridableSchema>;

/** Entries of a list that are called at once, where they meet at a stage. */
export const planGroupSchema = z.object({
  list: listSchema,
  members: z.array(tokenSchema).min(1),
  overlap: overlapSchema.optional().describe('at processInput, beside the first model call'),
});
export type PlanGroup = z.infer<typeof planGroupSchema>;

/** For each stage, the names of its entries in calling order. A processor that stands in two lists is one entry. */
export const planSchema = z.object({
  entries: z.record(tokenSchema, planEntrySchema),
  order: z.partialRecord(stageSchema, z.array(tokenSchema)),
  listed: z
    .partialRecord(listSchema, z.array(tokenSchema))
    .optional()
    .describe('each list as it is combined, memory in its place: what an entry’s place is counted by'),
  tools: z.array(toolDefinitionSchema),
  groups: z.array(planGroupSchema).optional(),
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

/** Whatever lists a caller gives in place of the agent's. */
export const staysUnderOverrides = ({ required, memory }: PlanEntry): boolean => required || memory;

export function entriesOf(plan: Plan, stage: Stage): PlanEntry[] {
  return (plan.order[stage] ?? []).flatMap((name) => plan.entries[name] ?? []);
}

/** The entries of a stage whose verdicts count. */
export const judgesOf = (plan: Plan, stage: Stage): PlanEntry[] =>
  entriesOf(plan, stage).filter(({ observe }) => !observe);

/** Entries that are asked one after the other, or a group of them that is asked at once. */
/** `observes`: nobody waits for them. */
export type Segment = { entries: PlanEntry[]; group?: PlanGroup; observes: boolean };

/** The entries of a stage, in order, parted where a group, or a row of those that observe, begins and ends. Members stand next to each other in every plan. */
export function segmentsOf({ groups = [] }: Plan, stage: Stage, entries: readonly PlanEntry[]): Segment[] {
  const own = groups.filter(({ list }) => list === LIST_OF_STAGE[stage]);
  const segments: Segment[] = [];
  for (const entry of entries) {
    const group = own.find(({ members }) => members.includes(entry.entry));
    const last = segments.at(-1);
    const observes = entry.observe === true;
    if (last && last.group === group && last.observes === observes) last.entries.push(entry);
    else segments.push({ entries: [entry], observes, ...(group && { group }) });
  }
  return segments;
}

/** The plan with those entries alone, wherever they stand. */
export function planWith(plan: Plan, stays: (entry: PlanEntry) => boolean): Plan {
  const entries = Object.fromEntries(Object.entries(plan.entries).filter(([, entry]) => stays(entry)));
  const isThere = (name: string) => Object.hasOwn(entries, name);
  const order = Object.entries(plan.order).map(([stage, names]) => [stage, names.filter(isThere)]);
  const groups = plan.groups?.flatMap((group) => withMembers(group, isThere));
  const listed = plan.listed && listedWith(plan.listed, isThere);
  const left = { ...plan, entries, order: Object.fromEntries(order) };
  return { ...left, ...(groups && { groups }), ...(listed && { listed }) };
}

function listedWith(listed: NonNullable<Plan['listed']>, isThere: (name: string) => boolean): Plan['listed'] {
  return Object.fromEntries(Object.entries(listed).map(([list, names]) => [list, names.filter(isThere)]));
}

/** Its place in the list that serves the stage; undefined where it has none. Whichever entries a call is for, it stays the same. */
export function placeOf(plan: Plan, stage: Stage, entry: string): number | undefined {
  const at = (plan.listed?.[LIST_OF_STAGE[stage]] ?? plan.order[stage])?.indexOf(entry) ?? -1;
  return at < 0 ? undefined : at;
}

export function withMembers(group: PlanGroup, isThere: (name: string) => boolean): PlanGroup[] {
  const members = group.members.filter(isThere);
  return members.length === 0 ? [] : [{ ...group, members }];
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
