// A caller that does not use the client: what it puts on the api's subjects is checked by nobody but the orchestrator.
import type { RunResult, WireError } from '@millrace/contracts';
import { eventually, type TestBus } from '@millrace/testkit';

type Reply<T> = { ok?: T; error?: WireError };
export type RawMessage = { id: string; role: string; createdAt: string; content: object };

let count = 0;

/** A run id or message id of its own. */
export const fresh = (name: string): string => `${name}-${(count += 1)}`;

export function said(role: string, text: string, id: string = fresh('m')): RawMessage {
  return { id, role, createdAt: '2026-01-01T00:00:00.000Z', content: { format: 2, parts: [{ type: 'text', text }] } };
}

export function rawCaller(bus: () => TestBus['bus'], tenant = 'default') {
  const api = async <T>(verb: string, body: unknown, run?: string): Promise<Reply<T>> => {
    const subject = [bus().subjects.prefix, 'api', verb, tenant, ...(run === undefined ? [] : [run])].join('.');
    const answer = await bus().nc.request(subject, typeof body === 'string' ? body : JSON.stringify(body), {
      timeout: 10_000,
    });
    return answer.json<Reply<T>>();
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
    /** Submits and waits for the end; a refusal is the answer. */
    async run(agent: string, messages: readonly object[], more: object = {}): Promise<RunResult | WireError> {
      const runId = fresh('run');
      const { error } = await submit(agent, messages, more, runId);
      return error ?? result(runId);
    },
  };
}
