// Replaces the services behind the api, over a real NATS server: an agent is a script that produces the output of
// its runs. Follows the contracts only (askApi and serveApi validate both ends).
import { API, MillraceError, toPublicEvent, type ApiVerb, type RunRequest, type WireError } from '@millrace/contracts';
import { serveApi, type ApiCall, type ApiHandler, type Bus, type Serving } from '@millrace/bus';
import { scriptedRun, type ScriptedRun } from './scripted-run.ts';

type ApiScript = (run: ScriptedRun) => void | Promise<void>;
/** Answers of the other verbs; a verb without one has no responders. */
type Answers = { [V in ApiVerb]?: ApiHandler<V> };
export type ScriptedApiOptions = {
  agents?: Record<string, ApiScript>;
  answers?: Answers;
  /** Chunks a replay. */ page?: number;
};

export type ScriptedApi = {
  runs: Map<string, ScriptedRun>;
  /** Every question, as `verb` or `verb run`. */
  asked: string[];
  /** @throws the error of a script */
  stop(): Promise<void>;
};

export function serveScriptedApi(bus: Bus, { agents = {}, answers = {}, page = 100 }: ScriptedApiOptions): ScriptedApi {
  const runs = new Map<string, ScriptedRun>();
  const asked: string[] = [];
  const broken: unknown[] = [];
  const findRun = ({ run }: ApiCall): ScriptedRun => {
    const known = runs.get(run ?? '');
    if (known) return known;
    throw new MillraceError('run-unknown', `There is no run "${run}".`, { remedy: 'Use the id that `run` printed.' });
  };
  const begin = (request: RunRequest, { caller }: ApiCall) => {
    const script = agents[request.agent];
    if (!script)
      throw new MillraceError('agent-unknown', `There is no agent "${request.agent}".`, {
        path: 'agent',
        remedy: 'Apply it: millrace agents apply FILE.',
      });
    if (runs.has(request.runId)) return false;
    const run = scriptedRun(bus, request, caller);
    runs.set(request.runId, run);
    // After the answer that it is accepted.
    setImmediate(() => void Promise.resolve(script(run)).catch((error: unknown) => broken.push(error)));
    return true;
  };
  const own: Answers = {
    submit: async (request, call) => ({
      runId: request.runId,
      accepted: true,
      created: begin(request, call),
    }),
    run: async (_, call) => {
      const run = findRun(call);
      const result = run.result();
      return { runId: run.request.runId, status: run.status(), ...(result && { result }) };
    },
    inspect: async (_, call) => {
      const run = findRun(call);
      return { runId: run.request.runId, status: run.status(), epoch: 1, takeovers: 0, records: 0, saves: [] };
    },
    cancel: async (_, call) => {
      const run = findRun(call);
      run.cancel();
      return { runId: run.request.runId, status: run.status() };
    },
    replay: async (from, call) => ({ status: findRun(call).status(), ...findRun(call).replay(from, page) }),
    events: async (_, call) => ({ events: findRun(call).events.map(toPublicEvent) }),
    'events-detail': async (_, call) => ({ events: findRun(call).events }),
  };
  const handlers: Answers = { ...own, ...answers };
  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- it ties the verb to its handler
  const serve = <V extends ApiVerb>(verb: V): Serving[] => {
    const handle = handlers[verb];
    if (!handle) return [];
    return [
      serveApi(bus, verb, (request, call) => {
        asked.push(call.run === undefined ? verb : `${verb} ${call.run}`);
        return handle(request, call);
      }),
    ];
  };
  const stop = async () => {
    await Promise.all(serving.map((one) => one.drain(1_000)));
    if (broken.length > 0) throw new AggregateError(broken, 'scripts broke');
  };
  const verbs = Object.keys(API).filter((verb): verb is ApiVerb => verb in API);
  const serving = verbs.flatMap((verb) => serve(verb));
  return { runs, asked, stop };
}

/** An agent definition that is refused, with every problem. */
export function invalidAgent(...issues: NonNullable<WireError['issues']>): MillraceError {
  return new MillraceError('agent-invalid', `The agent is refused: ${issues.length} problems.`, { issues });
}
