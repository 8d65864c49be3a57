// Rules for two started replicas: they share the work, and one of them leaves.
import { setTimeout as wait } from 'node:timers/promises';
import { hasLeft } from '@millrace/bus';
import { fail, failLate } from '../rule-error.ts';
import { judge } from '../judge.ts';
import { withSession } from '../play-session.ts';
import { buildTextChunks } from '../plain-turn.ts';
import { listCalledStages, type CheckRule } from '../rule.ts';
import { STREAM, sendOpen, buildSessionOpen } from '../session-open.ts';
import type { StartedReplica } from '../start-replica.ts';
import type { CheckTarget } from '../target.ts';

const needsStart = ({ started }: CheckTarget): string | undefined =>
  started.length > 1 ? undefined : 'no --start COMMAND: only a replica that the check starts may be stopped';

/** With this many calls both replicas of a queue group have received some. */
const MAX_CALLS = 200;
const CALLERS = 4;
/** Time for which a session continues after SIGTERM, ms: a replica that does not wait for its sessions ends earlier. */
const STOPPING_MS = 500;
const CLOSING_MS = 3_000;
/** Pause between two calls of one caller, ms. */
const PAUSE_MS = 2;
const EXIT_MS = 15_000;

export const startRules: CheckRule[] = [
  {
    id: 'replicas',
    promise: 'shares its work between two replicas, each with an id of its own',
    page: 'found',
    alone: true,
    skipReason: needsStart,
    async run(target) {
      const ids = target.started.map(({ replica }) => replica);
      for (const replica of ids) await findAnswerer(target, replica);
      // Listens after the answer: a replica outside of the queue group answers the same call.
      const [stage] = listCalledStages(target);
      const [options = {}] = target.optionSets;
      if (stage) await judge(target, stage, { options });
      const seen = new Set<string>();
      for (let calls = 0; calls < MAX_CALLS && !ids.every((id) => seen.has(id)); calls += 1)
        seen.add(await findAnswerer(target));
      const idle = ids.find((id) => !seen.has(id));
      if (idle !== undefined)
        fail(`of ${MAX_CALLS} calls none went to the replica ${idle}: its queue group is another one`);
    },
  },
  {
    id: 'drain',
    promise: 'leaves on SIGTERM without losing a call or a session',
    page: 'found',
    alone: true,
    ends: true,
    skipReason: needsStart,
    async run(target) {
      const [leaving] = target.started;
      if (!leaving) return;
      const over = new AbortController();
      const call = async () => {
        while (!over.signal.aborted) {
          await findAnswerer(target);
          await wait(PAUSE_MS);
        }
      };
      const callers = Promise.all(Array.from({ length: CALLERS }, call));
      // Awaited below, after the replica has left.
      callers.catch(() => undefined);
      try {
        if (target.descriptor.stages.includes(STREAM)) await closeSession(target, leaving);
        else leaving.sendSignal('SIGTERM');
        await holdLeft(target, leaving);
      } finally {
        over.abort();
      }
      await callers;
    },
  },
];

/** Returns the id of the answering replica. */
async function findAnswerer(target: CheckTarget, replica?: string): Promise<string> {
  const [options = {}] = target.optionSets;
  const [stage] = listCalledStages(target);
  const given = { options, ...(replica !== undefined && { replica }) };
  const answer = stage
    ? await judge(target, stage, given, 0)
    : await sendOpen(target, buildSessionOpen(target, { ...given, chunks: [], end: true }), replica);
  return answer.replica;
}

function closeSession(target: CheckTarget, { replica, sendSignal }: StartedReplica): Promise<void> {
  const [options = {}] = target.optionSets;
  return withSession(target, { options, replica }, async (session) => {
    const chunks = buildTextChunks(['Before ', 'and after.'], 'run-1');
    session.send(chunks.slice(0, 2));
    await session.waitUntil(() => session.countProcessed() > 0, CLOSING_MS);
    sendSignal('SIGTERM');
    // The remaining chunks must reach a stopping replica, so wait until it has handled the signal.
    await session.waitUntil(() => false, STOPPING_MS);
    session.send(chunks.slice(2), { end: true });
    await session.waitForEnd();
  });
}

async function holdLeft(target: CheckTarget, { replica, service, exited }: StartedReplica): Promise<void> {
  const left = await Promise.race([exited.then(() => true), wait(EXIT_MS, false, { ref: false })]);
  if (!left) failLate(`the replica ${replica} has not ended ${EXIT_MS} ms after SIGTERM`, EXIT_MS);
  if (!(await hasLeft(target.bus, `${service}.${replica}`, CLOSING_MS)))
    fail(`the replica ${replica} still answers its ping after its process has ended`);
}
