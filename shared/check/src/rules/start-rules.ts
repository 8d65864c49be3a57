// Two replicas that the check has started: how they share the work, and how one of them leaves.
import { setTimeout as wait } from 'node:timers/promises';
import { hasLeft } from '@millrace/bus';
import { broken } from '../broken.ts';
import { judge } from '../judge.ts';
import { withSession } from '../play-session.ts';
import { chunksOfText } from '../plain-turn.ts';
import { calledStages, type Rule } from '../rule.ts';
import { STREAM, openOf, sessionOpenOf } from '../session-open.ts';
import type { StartedReplica } from '../start-replica.ts';
import type { Target } from '../target.ts';

const needsStart = ({ started }: Target): string | undefined =>
  started.length > 1 ? undefined : 'no --start COMMAND: only a replica that the check starts may be stopped';

/** So many calls to a queue group of two have gone to both. */
const MAX_CALLS = 200;
const CALLERS = 4;
/** How long after SIGTERM a session sends on, ms: a replica that does not wait for its sessions has ended by then. */
const STOPPING_MS = 500;
const CLOSING_MS = 3_000;
/** Between two calls of one caller, ms. */
const PAUSE_MS = 2;
const EXIT_MS = 15_000;

export const startRules: Rule[] = [
  {
    id: 'replicas',
    promise: 'shares its work between two replicas, each with an id of its own',
    page: 'found',
    alone: true,
    skipped: needsStart,
    async run(target) {
      const ids = target.started.map(({ replica }) => replica);
      for (const replica of ids) await answerer(target, replica);
      const seen = new Set<string>();
      for (let calls = 0; calls < MAX_CALLS && !ids.every((id) => seen.has(id)); calls += 1)
        seen.add(await answerer(target));
      const idle = ids.find((id) => !seen.has(id));
      if (idle !== undefined)
        broken(`of ${MAX_CALLS} calls none went to the replica ${idle}: its queue group is another one`);
    },
  },
  {
    id: 'drain',
    promise: 'leaves on SIGTERM without losing a call or a session',
    page: 'found',
    alone: true,
    ends: true,
    skipped: needsStart,
    async run(target) {
      const [leaving] = target.started;
      if (!leaving) return;
      const over = new AbortController();
      const call = async () => {
        while (!over.signal.aborted) {
          await answerer(target);
          await wait(PAUSE_MS);
        }
      };
      const callers = Promise.all(Array.from({ length: CALLERS }, call));
      // Looked at below, when the replica has left.
      callers.catch(() => undefined);
      try {
        if (target.descriptor.stages.includes(STREAM)) await closeSession(target, leaving);
        else leaving.signal('SIGTERM');
        await holdLeft(target, leaving);
      } finally {
        over.abort();
      }
      await callers;
    },
  },
];

/** The id of the replica that answers. */
async function answerer(target: Target, replica?: string): Promise<string> {
  const [options = {}] = target.optionSets;
  const [stage] = calledStages(target);
  const given = { options, ...(replica !== undefined && { replica }) };
  const answer = stage
    ? await judge(target, stage, given, 0)
    : await openOf(target, sessionOpenOf(target, { ...given, chunks: [], end: true }), replica);
  return answer.replica;
}

function closeSession(target: Target, { replica, signal }: StartedReplica): Promise<void> {
  const [options = {}] = target.optionSets;
  return withSession(target, { options, replica }, async (session) => {
    const chunks = chunksOfText(['Before ', 'and after.'], 'run-1');
    session.send(chunks.slice(0, 2));
    await session.until(() => session.processed() > 0, CLOSING_MS);
    signal('SIGTERM');
    // The rest of the chunks must find a replica that is stopping, not one that has not read the signal yet.
    await session.until(() => false, STOPPING_MS);
    session.send(chunks.slice(2), { end: true });
    await session.ended();
  });
}

async function holdLeft(target: Target, { replica, service, exited }: StartedReplica): Promise<void> {
  const left = await Promise.race([exited.then(() => true), wait(EXIT_MS, false, { ref: false })]);
  if (!left) broken(`the replica ${replica} has not ended ${EXIT_MS} ms after SIGTERM`);
  if (!(await hasLeft(target.bus, `${service}.${replica}`, CLOSING_MS)))
    broken(`the replica ${replica} still answers its ping after its process has ended`);
}
