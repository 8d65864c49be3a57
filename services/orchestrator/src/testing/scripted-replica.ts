// A replica of a processor service that answers as a test defines: stage calls over the real bus.
import { stageCallSchema, type Stage, type StageCall, type Verdict, type VerdictOf } from '@millrace/contracts';
import type { Bus } from '@millrace/bus';
import { serveInTest } from './test-servings.ts';

export type ScriptedReplica = {
  /** The received calls, as entries' names: `a+b` is a call for both. */
  calls: string[];
  /** The calls themselves. */
  received: StageCall[];
  stop(): Promise<void>;
};

/** The answer: verdicts in the order of the call's entries, or none. */
export type Script = (call: StageCall) => Promise<Verdict[] | 'silence'> | Verdict[] | 'silence';

export const goOn: VerdictOf<'continue'> = { type: 'continue' };
export const failure = (more: object = {}): Verdict => ({
  type: 'failure',
  code: 'processor-failed',
  message: 'broken',
  retryable: true,
  ...more,
});

/** Serves the processors at the stage until the test ends, in the queue group and on the replica's own subject. */
export function scriptReplica(bus: Bus, stage: Stage, processors: readonly string[], script: Script): ScriptedReplica {
  const calls: string[] = [];
  const received: StageCall[] = [];
  const handle = async (call: StageCall) => {
    calls.push(call.entries.map(({ entry }) => entry).join('+'));
    received.push(call);
    const verdicts = await script(call);
    return verdicts === 'silence' ? undefined : { sequence: 0, verdicts, ms: verdicts.map(() => 1), replica: bus.id };
  };
  const request = stageCallSchema;
  const stops = processors.flatMap((processor) => {
    const to = { service: 'guards', processor };
    return [
      serveInTest(bus, { subject: bus.subjects.stage(stage, to), queue: processor, request, handle }),
      serveInTest(bus, { subject: bus.subjects.stage(stage, to, bus.id), request, handle }),
    ];
  });
  return { calls, received, stop: async () => void (await Promise.all(stops.map((stop) => stop()))) };
}
