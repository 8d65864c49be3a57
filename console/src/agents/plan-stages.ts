// Arranges a plan as a picture: the parts of a run in order, each with its stages, and their entries in calling order.
// Pure.
import type { Plan, PlanEntry, Stage } from '@millrace/contracts';

/** Entries that are called concurrently, or one alone. */
export type Segment = { overlapsModel: boolean; entries: PlanEntry[] };
export type StageNode = { stage: Stage; segments: Segment[] };
export type Part = { title: string; about: string; stages: StageNode[]; isCore: boolean };

const PARTS: readonly { title: string; about: string; stages: readonly Stage[]; isCore?: true }[] = [
  {
    title: 'Message',
    about: 'what the caller sends',
    stages: ['processInput', 'processInputStep', 'processLLMRequest'],
  },
  {
    title: 'Model',
    about: 'answers while its text is judged',
    stages: ['processOutputStream', 'processLLMResponse', 'processAPIError'],
    isCore: true,
  },
  { title: 'Tools', about: 'called by the model', stages: ['processToolCall', 'processToolResult'] },
  {
    title: 'Answer',
    about: 'what the caller receives, and memory stores',
    stages: ['processOutputStep', 'processOutputResult'],
  },
];

export function arrangePlan(plan: Plan): Part[] {
  return PARTS.map(({ title, about, stages, isCore = false }) => ({
    title,
    about,
    isCore,
    stages: stages.flatMap((stage) => {
      const segments = splitStage(plan, stage);
      return segments.length === 0 ? [] : [{ stage, segments }];
    }),
  }));
}

function splitStage(plan: Plan, stage: Stage): Segment[] {
  const segments: Segment[] = [];
  let group: unknown;
  for (const name of plan.order[stage] ?? []) {
    const entry = plan.entries[name];
    if (!entry) continue;
    const own = plan.groups?.find(({ members }) => members.includes(name));
    const last = segments.at(-1);
    if (last && own !== undefined && own === group) last.entries.push(entry);
    else segments.push({ overlapsModel: stage === 'processInput' && own?.overlap === 'model', entries: [entry] });
    group = own;
  }
  return segments;
}
