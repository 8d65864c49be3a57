// Runs that wait for answers, and answers with their outcome as a word.
import type { ApiRequest, OpenPending, RunHead } from '@millrace/contracts';
import type { JetStreamAccess } from '@millrace/bus';
import { resumeRun } from '../api/resume-run.ts';
import type { DrivenRun } from './driven-runs.ts';
import { ask } from './gated-stage.ts';
import type { TestJetStream } from './jetstream.ts';
import { lookTool } from './look-tool.ts';
import { makePlan, planEntry } from './plan-entries.ts';
import { goOn, scriptReplica } from './scripted-replica.ts';
import type { useSuspendedRuns } from './suspended-runs.ts';

/** Returns `accepted`, or the code of the error. */
export const answer = (access: JetStreamAccess, head: RunHead, request: ApiRequest<'resume'>): Promise<string> =>
  resumeRun(access, head, request, { kinds: ['approval'], readTools: async () => [] }).then(
    () => 'accepted',
    ({ code }: { code: string }) => code,
  );

type AskingRun = { run: DrivenRun; head: RunHead; first: OpenPending; second: OpenPending };

/** Suspends a run with a question before each of two calls. */
export async function suspendTwoCalls(
  { access: { bus } }: TestJetStream,
  runs: ReturnType<typeof useSuspendedRuns>,
  questions: object = {},
): Promise<AskingRun> {
  const gate = scriptReplica(bus, 'processToolCall', ['gate'], ({ entries }) => [
    entries[0]?.resumeData === undefined ? ask(questions) : goOn,
  ]);
  runs.stops.push(
    gate.stop,
    runs.serveTool(bus, 'look', async () => ({ result: 'seen' })),
  );
  const calls = ['c1', 'c2'].map((toolCallId) => ({ toolCallId, toolName: 'look', input: '{"at":1}' }));
  const entries = [planEntry('gate', { stages: ['processToolCall'], lists: ['input'], reads: ['input', 'response'] })];
  const driver = runs.driver({ calls });
  const run = await driver.begin({
    agent: await driver.apply({}, { ...makePlan(entries), tools: [lookTool({ timeoutMs: 5_000 })] }),
  });
  await run.drive();
  const [[first, second], head] = await Promise.all([runs.pending(run), run.head()]);
  if (!first || !second || !head) throw new Error('the run has no two questions');
  return { run, head, first, second };
}
