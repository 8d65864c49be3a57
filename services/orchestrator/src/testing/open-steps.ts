// Runs with an open step, to be answered by a scripted model and judged by scripted processors.
import {
  STAGES,
  type Agent,
  type PlanEntry,
  type RunState,
  type Stage,
  type StageInput,
  type Verdict,
} from '@millrace/contracts';
import type { Bus } from '@millrace/bus';
import { answerStage } from '../run/answer-stage.ts';
import { planEntry } from './plan-entries.ts';
import { goOn, scriptReplica } from './scripted-replica.ts';
import { scriptModel, type Say, type ScriptedModel } from './scripted-model.ts';
import { createTestRun } from './test-run.ts';

export type Judge = (input: StageInput) => Verdict;
export type StepOptions = {
  agent?: Partial<Agent>;
  deadlineMs?: number;
  entries?: PlanEntry[];
  /** Replaces the script. */
  models?: ScriptedModel['models'];
  /** The state that a lost owner left in the open step. */
  from?: RunState;
};

/**
 * Creates steps with one processor for each stage that the test judges, in addition to the options' entries.
 */
export function useOpenSteps(connection: { bus: Bus }) {
  return async (script: Say[], judges: Partial<Record<Stage, Judge>> = {}, options: StepOptions = {}) => {
    const { entries: more = [], ...rest } = options;
    const stages = STAGES.filter((stage) => judges[stage]);
    for (const stage of stages) {
      scriptReplica(connection.bus, stage, [stage], ({ input }) => [judges[stage]?.(input) ?? goOn]);
    }
    const { models, asked } = scriptModel(...script);
    const reads = ['input', 'response', 'system', 'prompt', 'chunks', 'steps', 'tools', 'request'] as const;
    const judged = stages.map((stage) => planEntry(stage, { stages: [stage], attempts: 1, reads: [...reads] }));
    const made = createTestRun({ bus: connection.bus, entries: [...judged, ...more], models, ...rest });
    if (!options.from) {
      made.run.dispatch({ action: 'input-passed' });
      made.run.dispatch({ action: 'step-opened', firstIndex: 0 });
    }
    await connection.bus.nc.flush();
    return { ...made, asked, answer: () => answerStage(made.run) };
  };
}
