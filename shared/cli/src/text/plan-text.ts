// Formats an agent's plan: the processors of each stage in order. Pure.
import {
  STAGES,
  formatModels,
  isKeptByOverrides,
  listEntries,
  splitSegments,
  findUncalledStages,
  type AppliedAgent,
  type Plan,
  type PlanEntry,
  type Stage,
  type ToolDefinition,
} from '@millrace/contracts';
import { toOneLine, formatTable } from '../command/printable.ts';

export function formatPlan({ agent, plan, revision }: AppliedAgent): string {
  const title = `${agent.name} (${revision === 0 ? 'not applied' : `revision ${revision}`}), ${toOneLine(formatModels(agent.model))}`;
  const stages = STAGES.flatMap((stage) => formatStage(plan, stage));
  const tools = plan.tools.length === 0 ? 'none' : plan.tools.map((tool) => describeTool(plan, tool)).join(', ');
  const uncalled = [...findUncalledStages(plan)].map(
    ([processor, missing]) => `not called: ${missing.join(', ')} of ${processor}`,
  );
  const overridable = plan.overridable && `callers may list: ${Object.keys(plan.overridable).join(', ') || 'nothing'}`;
  const rest = overridable === undefined ? [] : [overridable];
  return [title, ...stages, ...uncalled, `tools: ${tools}`, ...rest].join('\n\n');
}

/** `mail (send, approve when untrusted)`. */
function describeTool({ toolRules = {} }: Plan, { name, effect = 'write' }: ToolDefinition): string {
  const rule = Object.hasOwn(toolRules, name) ? toolRules[name] : undefined;
  return `${name} (${effect}, ${rule?.whenUntrusted ?? 'allow'} when untrusted)`;
}

function formatStage(plan: Plan, stage: Stage): string[] {
  const entries = listEntries(plan, stage);
  if (entries.length === 0) return [];
  let place = 0;
  const rows = splitSegments(plan, stage, entries).flatMap(({ entries: own, group }) => {
    if (group) place += 1;
    return own.map((entry) => [
      group
        ? `${place} at once${group.overlap && stage === 'processInput' ? ', concurrently with the model' : ''}`
        : String((place += 1)),
      ...listCells(entry, plan),
    ]);
  });
  return [`${stage}\n${formatTable(['#', 'ENTRY', 'PROCESSOR', 'SERVICE', 'POLICY', 'OPTIONS'], rows, '  ')}`];
}

function listCells(entryOfPlan: PlanEntry, { overridable }: Plan): string[] {
  const { entry, processor, service, timeoutMs, attempts, onFailure, options, when, observe, declassifies } =
    entryOfPlan;
  const replaceable = overridable !== undefined && !isKeptByOverrides(entryOfPlan);
  const policy = `${timeoutMs} ms, ${attempts} ${attempts === 1 ? 'attempt' : 'attempts'}, ${onFailure}`;
  return [
    entry,
    processor === entry ? '' : processor,
    service,
    toOneLine(
      `${policy}${replaceable ? ', replaceable' : ''}${observe ? ', observes' : ''}${declassifies ? ', declassifies' : ''}${when ? `, when ${when.context} is ${JSON.stringify(when.equals)}` : ''}`,
    ),
    Object.keys(options).length === 0 ? '' : JSON.stringify(options),
  ];
}
