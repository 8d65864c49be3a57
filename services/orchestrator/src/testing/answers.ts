// Runs that wait for answers, and answers with their outcome as a word.
import type { ApiRequest, OpenPending, Plan, RunHead, StageCall } from '@millrace/contracts';
import type { JetStreamAccess } from '@millrace/bus';
import { resumeRun } from '../api/resume-run.ts';
import type { DrivenRun } from './driven-runs.ts';
import { ask, gateStage } from './gated-stage.ts';
import type { TestJetStream } from './jetstream.ts';
import { lookTool } from './look-tool.ts';
import { makePlan, planEntry } from './plan-entries.ts';
import type { Say } from './scripted-model.ts';
import { goOn, scriptReplica } from './scripted-replica.ts';
import type { useSuspendedRuns } from './suspended-runs.ts';

/** Returns `accepted`, or the code of the error. */
export const answer = (access: JetStreamAccess, head: RunHead, request: ApiRequest<'resume'>): Promise<string> =>
  resumeRun(access, head, request, { kinds: ['approval'], readTools: async () => [] }).then(
    () => 'accepted',
    ({ code }: { code: string }) => code,
  );

type SuspendedRuns = ReturnType<typeof useSuspendedRuns>;
type AskingRun = { run: DrivenRun; head: RunHead; first: OpenPending };

/** Suspends a run with one question at its beginning. `received`: the calls of its stage. */
export async function suspendOnce(
  { access: { bus } }: TestJetStream,
  runs: SuspendedRuns,
): Promise<AskingRun & { received: StageCall[] }> {
  const { plan, received } = gateStage(bus, 'processInput');
  return { ...(await driveToQuestion(runs, plan, { text: 'never' })), received };
}

/** Suspends a run with a question before each of two calls. */
export async function suspendTwoCalls(
  { access: { bus } }: TestJetStream,
  runs: SuspendedRuns,
  questions: object = {},
): Promise<AskingRun & { second: OpenPending }> {
  scriptReplica(bus, 'processToolCall', ['gate'], ({ entries }) => [
    entries[0]?.resumeData === undefined ? ask(questions) : goOn,
  ]);
  runs.serveTool(bus, 'look', async () => ({ result: 'seen' }));
  const calls = ['c1', 'c2'].map((toolCallId) => ({ toolCallId, toolName: 'look', input: '{"at":1}' }));
  const entries = [planEntry('gate', { stages: ['processToolCall'], lists: ['input'], reads: ['input', 'response'] })];
  const plan = { ...makePlan(entries), tools: [lookTool({ timeoutMs: 5_000 })] };
  const {
    further: [second],
    ...asking
  } = await driveToQuestion(runs, plan, { calls });
  if (!second) throw new Error('the run has one question');
  return { ...asking, second };
}

async function driveToQuestion(
  runs: SuspendedRuns,
  plan: Plan,
  says: Say,
): Promise<AskingRun & { further: OpenPending[] }> {
  const driver = runs.driver(says);
  const run = await driver.begin({ agent: await driver.apply({}, plan) });
  await run.drive();
  const [[first, ...further], head] = await Promise.all([runs.pending(run), run.head()]);
  if (!first || !head) throw new Error('the run has no question');
  return { run, head, first, further };
}
