// A replica of a processor service that answers as a test defines: stage calls over the real bus.
import { stageCallSchema, type Stage, type StageCall, type Verdict, type VerdictOf } from '@millrace/contracts';
import { serve, type Bus } from '@millrace/bus';

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

/** Serves the processors at the stage, in the queue group and on the replica's own subject. */
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
  const servings = processors.flatMap((processor) => [
    serve(bus, {
      subject: bus.subjects.stage(stage, { service: 'guards', processor }),
      queue: processor,
      request,
      handle,
    }),
    serve(bus, { subject: bus.subjects.stage(stage, { service: 'guards', processor }, bus.id), request, handle }),
  ]);
  return { calls, received, stop: async () => void (await Promise.all(servings.map((one) => one.drain(1_000)))) };
}
