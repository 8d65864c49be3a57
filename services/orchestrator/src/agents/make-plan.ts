// Builds a plan from the ordered entries: the calls of each stage with their options and policies. Pure.
import {
  chooseFiles,
  findReadsAt,
  readAgentTool,
  readMemoryKey,
  resolveChanges,
  resolveJudgedFiles,
  resolveTimeoutMs,
  listStagesOfList,
  STAGES,
  type Agent,
  type EntryObject,
  type ListName,
  type Plan,
  type PlanEntry,
  type Stage,
} from '@millrace/contracts';
import { listGroups } from './groups.ts';
import { addNewDefaults, collectOptions, type KnownProcessors, type ProcessorUse } from './entry-uses.ts';
import { listPlannedTools, makeToolRules } from './tool-rules.ts';

export function makePlan(
  agent: Agent,
  ordered: Record<ListName, ProcessorUse[]>,
  uses: readonly ProcessorUse[],
  known: KnownProcessors,
): Plan {
  const entries = Object.fromEntries(
    uses.map(({ name }) => [
      name,
      planEntry(
        name,
        uses.filter((one) => one.name === name),
      ),
    ]),
  );
  const order: Plan['order'] = {};
  for (const stage of STAGES) {
    const names = listStageUses(stage, ordered)
      .filter(({ found }) => found.descriptor.stages.includes(stage))
      .map(({ name }) => name);
    if (names.length > 0) order[stage] = names;
  }
  const groups = listGroups(uses);
  const listed = Object.fromEntries(
    Object.entries(ordered).map(([list, own]) => [list, [...new Set(own.map(({ name }) => name))]]),
  );
  const found = agent.tools.flatMap((tool) => known.tools.get(readAgentTool(tool).use) ?? []);
  const plan: Plan = {
    entries,
    order,
    listed,
    tools: listPlannedTools(agent, found),
    toolRules: makeToolRules(agent, found),
    ...(groups.length > 0 && { groups }),
  };
  const files = chooseFiles(agent, plan);
  return files ? { ...plan, files } : plan;
}

function listStageUses(stage: Stage, ordered: Record<ListName, ProcessorUse[]>): ProcessorUse[] {
  const list = (['input', 'output', 'error'] as const).find((name) => listStagesOfList(name).includes(stage));
  return list ? ordered[list] : [];
}

function planEntry(name: string, uses: readonly ProcessorUse[]): PlanEntry {
  const [first] = uses;
  if (!first) throw new Error(`an entry "${name}" without a use`);
  const { found, processor } = first;
  const { service, descriptor } = found;
  const pickGiven = <K extends keyof EntryObject>(key: K) =>
    uses.map((one) => one.given[key]).find((value) => value !== undefined);
  const { policy } = descriptor;
  const options = addNewDefaults(descriptor, collectOptions(uses));
  // A processor that does not read the input receives no files.
  const readsInput = findReadsAt(descriptor.reads, 'processInput').includes('input');
  const judgesFiles = readsInput ? resolveJudgedFiles(descriptor.judgesFiles, descriptor.optionsSchema, options) : [];
  const when = pickGiven('when');
  const memoryKey = readMemoryKey(processor, descriptor);
  return {
    entry: name,
    processor,
    service,
    version: descriptor.version,
    lists: [...new Set(uses.map((one) => one.list))],
    stages: descriptor.stages,
    reads: descriptor.reads,
    ...(descriptor.changes && { changes: resolveChanges(descriptor.changes, descriptor.optionsSchema, options) }),
    processDataParts: descriptor.processDataParts,
    ...(descriptor.processCutOff && { processCutOff: true }),
    ...(descriptor.rewritesAnswers && { rewritesAnswers: true }),
    ...(descriptor.judgesText && { judgesText: true }),
    ...(judgesFiles.length > 0 && { judgesFiles }),
    ...(descriptor.addsText && { addsText: true }),
    options,
    required: !uses.every((one) => one.given.replaceable === true),
    memory: memoryKey !== undefined,
    ...(memoryKey && { memoryKey }),
    timeoutMs: pickGiven('timeoutMs') ?? resolveTimeoutMs(policy, descriptor.optionsSchema, options),
    attempts: pickGiven('attempts') ?? policy.attempts,
    onFailure: pickGiven('onFailure') ?? policy.onFailure,
    ...(when && { when }),
    ...(pickGiven('observe') === true && { observe: true as const }),
    ...(pickGiven('declassify') === true && { declassifies: true as const }),
  };
}
