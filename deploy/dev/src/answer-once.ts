// `npm start -- --once TEXT`: one run of the demo agent, its answer alone on stdout.
import { formatCodedError, EXIT_CODES, chooseExitForRun, formatStatus } from '@millrace/cli';
import type { Client } from '@millrace/client';
import type { RunResult } from '@millrace/contracts';

/** The user of this machine. */
const RESOURCE = 'npm-start';

export type OnceOptions = {
  client: Client;
  agent: string;
  text: string;
  answer: (text: string) => void;
  report: (line: string) => void;
  signal: AbortSignal;
};

/** Resolves with the exit code, as of `millrace run`; a missing answer is reported with its reason. */
export async function answerOnce({ client, agent, text, answer, report, signal }: OnceOptions): Promise<number> {
  // A thread of its own, so that memory takes part, and one resource, so that all of them share the user's working
  // memory.
  const run = await client.start(agent, text, {
    threadId: `once-${crypto.randomUUID()}`,
    resourceId: RESOURCE,
    signal,
  });
  const result = await run.result();
  if (result.status === 'finished') answer(result.text);
  else report(describeFailure(result));
  return EXIT_CODES[chooseExitForRun(result.status)].code;
}

/** Why a run has no answer, in the words of `millrace run`. */
export function describeFailure(result: RunResult): string {
  return result.error ? `${result.status}. ${formatCodedError(result.error)}` : formatStatus(result);
}
