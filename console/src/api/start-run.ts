// Starts a run and opens the stream of its chunks. A start whose answer was lost is repeated under the same key, which
// is the same run.
import { Problem } from './problem.ts';
import { send } from './request.ts';

export type RunStart = { agent: string; thread: string; resource: string | undefined; text: string; key: string };

const MAX_ATTEMPTS = 5;
const RETRY_MS = 500;

/** @throws Problem */
export async function startRun(
  { agent, thread, resource, text, key }: RunStart,
  signal: AbortSignal,
): Promise<{ runId: string; response: Response }> {
  const body = { input: text, threadId: thread, ...(resource !== undefined && { resourceId: resource }) };
  for (let attempt = 1; ; attempt++) {
    try {
      const headers = { accept: 'text/event-stream', 'idempotency-key': key };
      const response = await send(`/v1/agents/${agent}/runs`, { method: 'POST', body, headers, signal });
      return { runId: response.headers.get('x-millrace-run-id') ?? '', response };
    } catch (error) {
      const isLost = error instanceof Problem && (error.status === 0 || error.status === 503);
      if (!isLost || attempt === MAX_ATTEMPTS) throw error;
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS * attempt));
    }
  }
}
