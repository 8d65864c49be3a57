// A stage of three processors, of which the middle one suspends the run once.
import type { Plan, Stage, StageCall, Verdict } from '@millrace/contracts';
import type { Bus } from '@millrace/bus';
import { lookCalls, lookTool } from './look-tool.ts';
import { planEntry, makePlan } from './plan-entries.ts';
import { goOn, scriptReplica } from './scripted-replica.ts';

export const ask = (more: object = {}): Verdict => ({ type: 'suspend', payload: { question: 'sure?' }, ...more });
export const gatedCalls = lookCalls('{"at":1}');

export function gateStage(
  bus: Bus,
  stage: Stage,
  { first = goOn, resumed = goOn }: { first?: Verdict; resumed?: Verdict } = {},
) {
  const received: StageCall[] = [];
  const serve = (name: string, script: (call: StageCall) => Verdict) => {
    scriptReplica(bus, stage, [name], (call) => {
      received.push(call);
      return [script(call)];
    });
  };
  serve('first', () => first);
  serve('gate', (call) => (call.entries[0]?.resumeData === undefined ? ask({ state: { asked: 1 } }) : resumed));
  serve('last', () => goOn);
  const list = stage.startsWith('processOutput') || stage === 'processToolResult' ? 'output' : 'input';
  const entries = ['first', 'gate', 'last'].map((name) =>
    planEntry(name, { stages: [stage], lists: [list], reads: ['input', 'response'] }),
  );
  const plan: Plan = { ...makePlan(entries), tools: [lookTool({ timeoutMs: 5_000 })] };
  return { plan, received, listCalled: () => received.map((call) => call.entries[0]?.entry) };
}
