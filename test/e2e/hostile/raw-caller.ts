// A caller without the client library: only the orchestrator checks its messages on the API's subjects.
import type { RunResult, WireError } from '@millrace/contracts';
import { eventually, type TestBus } from '@millrace/testkit';

type RawReply<T> = { ok?: T; error?: WireError };
export type ForgedMessage = { id: string; role: string; createdAt: string; content: object };

let count = 0;

/** Returns a unique run id or message id. */
export const fresh = (name: string): string => `${name}-${(count += 1)}`;

export function makeRawMessage(role: string, text: string, id: string = fresh('m')): ForgedMessage {
  return { id, role, createdAt: '2026-01-01T00:00:00.000Z', content: { format: 2, parts: [{ type: 'text', text }] } };
}

export function rawCaller(bus: () => TestBus['bus'], tenant = 'default') {
  const api = async <T>(verb: string, body: unknown, run?: string): Promise<RawReply<T>> => {
    const subject = [bus().subjects.prefix, 'api', verb, tenant, 'operator', ...(run === undefined ? [] : [run])].join(
      '.',
    );
    const answer = await bus().nc.request(subject, typeof body === 'string' ? body : JSON.stringify(body), {
      timeout: 10_000,
    });
    return answer.json<RawReply<T>>();
  };
  const submit = (agent: string, messages: readonly object[], more: object = {}, runId = fresh('run')) =>
    api<{ runId: string }>('submit', { runId, tenant, agent, messages, ...more }, runId);
  const result = (runId: string) =>
    eventually(
      async () => {
        const { ok } = await api<{ result?: RunResult }>('run', {}, runId);
        return ok?.result;
      },
      { timeoutMs: 20_000 },
    );
  return {
    api,
    submit,
    result,
    /** Submits and waits for the end; returns a rejection as the answer. */
    async run(agent: string, messages: readonly object[], more: object = {}): Promise<RunResult | WireError> {
      const runId = fresh('run');
      const { error } = await submit(agent, messages, more, runId);
      return error ?? result(runId);
    },
  };
}
