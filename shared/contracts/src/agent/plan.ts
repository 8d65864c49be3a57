// Defines a plan, the result of `agents apply`: every list resolved into entries in their final order, with the
// descriptors from discovery. A run follows the stored plan; discovery at run time only merges adjacent entries and
// finds replicas.
import { z } from 'zod';
import {
  REMOVED_RELEASE,
  agentSchema,
  filesSchema,
  memoryKeySchema,
  onFailureSchema,
  overlapSchema,
  resultTrustSchema,
  whenSchema,
  whenUntrustedSchema,
  type Agent,
  type Files,
} from './agent.ts';
import { isObject, jsonObjectSchema, jsonSchemaSchema } from '../base/json.ts';
import { fileKindSchema } from './judged-files.ts';
import type { FileKind } from '../base/media-types.ts';
import { toolDefinitionSchema } from '../message/model.ts';
import {
  LIST_OF_STAGE,
  listSchema,
  readsByStageSchema,
  stageSchema,
  type ListName,
  type Stage,
} from '../base/stage.ts';
import type { RunJudges } from '../stage/stage-call.ts';
import { resolvedChangesSchema, stageChangesSchema } from '../stage/stage-changes.ts';
import { getOwnMember } from '../base/own-member.ts';
import { timeoutMsSchema } from '../stage/timeout.ts';
import { tokenSchema } from '../base/tokens.ts';

export const planEntrySchema = z.object({
  entry: tokenSchema,
  processor: tokenSchema,
  service: tokenSchema,
  version: z.string(),
  lists: z.array(listSchema).min(1),
  stages: z.array(stageSchema),
  reads: readsByStageSchema,
  changes: resolvedChangesSchema
    .optional()
    .describe('whether the entry may change its input, by stage; an absent stage may'),
  processDataParts: z.boolean(),
  processCutOff: z.boolean().optional().describe('processLLMResponse also receives model calls that were cut off'),
  rewritesAnswers: z.boolean().optional(),
  judgesText: z.boolean().optional(),
  judgesFiles: z.array(fileKindSchema).optional().describe('kinds of files that the entry passes in processInput'),
  addsText: z.boolean().optional().describe('its text is untrusted, unless it has a label'),
  options: jsonObjectSchema,
  required: z.boolean().describe('a list of the caller does not replace the entry'),
  memory: z.boolean(),
  memoryKey: memoryKeySchema.optional(),
  timeoutMs: timeoutMsSchema,
  attempts: z.number().int().positive(),
  onFailure: onFailureSchema,
  when: whenSchema.optional().describe('the entry is called only in matching runs'),
  observe: z.literal(true).optional().describe('the entry is called without delaying the run'),
  declassifies: z.literal(true).optional().describe('the agent declares that texts of this entry are trusted'),
});
export type PlanEntry = z.infer<typeof planEntrySchema>;

/** Base of a caller's entry: the processor as of the agent's application. `lists`: the lists that may contain it. */
export const overridableSchema = planEntrySchema.extend({
  optionsSchema: jsonSchemaSchema,
  declaredChanges: stageChangesSchema.optional().describe('its advertised changes: the options of the caller decide'),
});
export type Overridable = z.infer<typeof overridableSchema>;

/** Entries of a list that are called concurrently if they share a stage. */
export const planGroupSchema = z.object({
  list: listSchema,
  members: z.array(tokenSchema).min(1),
  overlap: overlapSchema.optional().describe('at processInput: concurrent with the first model call'),
});
export type PlanGroup = z.infer<typeof planGroupSchema>;

/** Treatment of one tool, as resolved when the agent was applied. */
export const toolRuleSchema = z.object({
  whenUntrusted: whenUntrustedSchema,
  resultTrust: resultTrustSchema,
  service: tokenSchema
    .optional()
    .describe('serves the tool; absent in plans of earlier versions: the first service that advertises it'),
  attempts: z.number().int().positive().optional().describe('of a failed call; default: 1'),
  maxCalls: z.number().int().positive().optional().describe('in one run; default: no limit'),
  concurrency: z.number().int().positive().optional().describe('of one answer; default: that of the orchestrator'),
});
export type ToolRule = z.infer<typeof toolRuleSchema>;

/** The names of the entries of each stage in calling order. A processor in two lists is one entry. */
export const planSchema = z.object({
  entries: z.record(tokenSchema, planEntrySchema),
  order: z.partialRecord(stageSchema, z.array(tokenSchema)),
  listed: z
    .partialRecord(listSchema, z.array(tokenSchema))
    .optional()
    .describe('each list as combined, with memory at its position: an entry’s index refers to it'),
  tools: z.array(toolDefinitionSchema),
  toolRules: z
    .record(tokenSchema, toolRuleSchema)
    .optional()
    .describe('by tool; absent in plans of earlier versions: each tool is allowed'),
  groups: z.array(planGroupSchema).optional(),
  files: filesSchema.optional().describe('absent without judges, and in plans of earlier versions: pass'),
  overridable: z.record(tokenSchema, overridableSchema).optional().describe('processors that callers may list, by id'),
});
export type Plan = z.infer<typeof planSchema>;

export const appliedAgentSchema = z.object({
  agent: agentSchema,
  plan: planSchema,
  revision: z.number().int().min(0).describe('0 until stored'),
  appliedAt: z.string(),
  storedRelease: z.literal(REMOVED_RELEASE).optional().describe('of an agent of an earlier version: read as step'),
});
export type AppliedAgent = z.infer<typeof appliedAgentSchema>;

/** An agent as any version stored it. The next later release replaces the removed one. */
export const storedAgentSchema = z.preprocess(replaceRelease, appliedAgentSchema);

function replaceRelease(stored: unknown): unknown {
  if (!isObject(stored) || !isObject(stored['agent']) || stored['agent']['release'] !== REMOVED_RELEASE) return stored;
  return { ...stored, agent: { ...stored['agent'], release: 'step' }, storedRelease: REMOVED_RELEASE };
}

/** Returns true if the entry remains when a caller overrides the lists. */
export const isKeptByOverrides = ({ required, memory }: PlanEntry): boolean => required || memory;

export function listEntries(plan: Plan, stage: Stage): PlanEntry[] {
  return (plan.order[stage] ?? []).flatMap((name) => plan.entries[name] ?? []);
}

/** Returns the entries of a stage with binding verdicts. */
export const listJudges = (plan: Plan, stage: Stage): PlanEntry[] =>
  listEntries(plan, stage).filter(({ observe }) => !observe);

/** Returns the processors that judge the texts which memory stores, sorted. */
export function listRunJudges({ entries, listed }: Pick<Plan, 'entries' | 'listed'>): RunJudges {
  const after = listAfterMemory({ entries, listed });
  const listIn = (list: ListName) => {
    const own = Object.values(entries).filter(
      ({ entry, judgesText, observe, onFailure, when, lists }) =>
        judgesText &&
        !observe &&
        !when &&
        onFailure === 'fail' &&
        lists.includes(list) &&
        (list !== 'output' || !after.has(entry)),
    );
    return [...new Set(own.map(({ processor }) => processor))].toSorted();
  };
  return { input: listIn('input'), output: listIn('output') };
}

/**
 * Returns the entries that pass files, in order: not those that only observe, or that judge while the model already reads
 * the files.
 */
export function listFileJudges(plan: Pick<Plan, 'entries' | 'order' | 'groups'>): PlanEntry[] {
  const late = new Set(plan.groups?.flatMap(({ overlap, members }) => (overlap ? members : [])));
  return (plan.order.processInput ?? []).flatMap((name) => {
    const entry = getOwnMember(plan.entries, name);
    return entry?.judgesFiles?.length && !entry.observe && !late.has(name) ? [entry] : [];
  });
}

/** Returns the kinds of files that entries of the plan judge. */
export const listJudgedKinds = (plan: Parameters<typeof listFileJudges>[0]): FileKind[] => [
  ...new Set(listFileJudges(plan).flatMap(({ judgesFiles = [] }) => judgesFiles)),
];

/** Returns `files` of an agent that is applied now, or undefined if nothing judges. */
export function chooseFiles({ files }: Pick<Agent, 'files'>, plan: Plan): Files | undefined {
  if (files !== undefined) return files;
  if (listFileJudges(plan).length > 0) return 'judged';
  return Object.values(plan.entries).some(({ judgesText, observe }) => judgesText && !observe) ? 'refuse' : undefined;
}

/** Returns the names of the entries of the output that follow memory's first: memory does not store their changes of an answer. */
export function listAfterMemory({ entries, listed }: Pick<Plan, 'entries' | 'listed'>): Set<string> {
  const names = listed?.output ?? [];
  const first = names.findIndex((name) => getOwnMember(entries, name)?.memory);
  return new Set(first < 0 ? [] : names.slice(first).filter((name) => !getOwnMember(entries, name)?.memory));
}

/**
 * Entries that are called in sequence, or a group of concurrent entries. `observes`: the run does not wait for them.
 * `followsMemory`: in a stage of the output, they follow memory in its list.
 */
export type PlanSegment = { entries: PlanEntry[]; group?: PlanGroup; observes: boolean; followsMemory: boolean };

/**
 * Splits the entries of a stage, in order, at the borders of groups and of sequences of observers, and at memory's
 * position. Members of a group are adjacent in every plan.
 */
export function splitSegments(plan: Plan, stage: Stage, entries: readonly PlanEntry[]): PlanSegment[] {
  const { groups = [] } = plan;
  const own = groups.filter(({ list }) => list === LIST_OF_STAGE[stage]);
  const after = LIST_OF_STAGE[stage] === 'output' ? listAfterMemory(plan) : undefined;
  const segments: PlanSegment[] = [];
  for (const entry of entries) {
    const group = own.find(({ members }) => members.includes(entry.entry));
    const last = segments.at(-1);
    const observes = entry.observe === true;
    const followsMemory = after?.has(entry.entry) === true;
    const isAdjacent = last?.group === group && last?.observes === observes && last.followsMemory === followsMemory;
    if (isAdjacent) last.entries.push(entry);
    else segments.push({ entries: [entry], observes, followsMemory, ...(group && { group }) });
  }
  return segments;
}

/** Returns the plan with only the matching entries. */
export function planWith(plan: Plan, isKept: (entry: PlanEntry) => boolean): Plan {
  const entries = Object.fromEntries(Object.entries(plan.entries).filter(([, entry]) => isKept(entry)));
  const isThere = (name: string) => Object.hasOwn(entries, name);
  const order = Object.entries(plan.order).map(([stage, names]) => [stage, names.filter(isThere)]);
  const groups = plan.groups?.flatMap((group) => withMembers(group, isThere));
  const listed = plan.listed && filterListed(plan.listed, isThere);
  const left = { ...plan, entries, order: Object.fromEntries(order) };
  return { ...left, ...(groups && { groups }), ...(listed && { listed }) };
}

function filterListed(listed: NonNullable<Plan['listed']>, isThere: (name: string) => boolean): Plan['listed'] {
  return Object.fromEntries(Object.entries(listed).map(([list, names]) => [list, names.filter(isThere)]));
}

/** Returns the entry's index in the list of the stage, or undefined. The index does not depend on the call. */
export function findIndex(plan: Plan, stage: Stage, entry: string): number | undefined {
  const at = (plan.listed?.[LIST_OF_STAGE[stage]] ?? plan.order[stage])?.indexOf(entry) ?? -1;
  return at < 0 ? undefined : at;
}

export function withMembers(group: PlanGroup, isThere: (name: string) => boolean): PlanGroup[] {
  const members = group.members.filter(isThere);
  return members.length === 0 ? [] : [{ ...group, members }];
}

/** Returns the stages of processors that no list of the agent calls, by processor. */
export function findUncalledStages(plan: Plan): Map<string, Stage[]> {
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
