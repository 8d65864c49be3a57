// An answer around the expiry of its run: it counts or is refused, but is never accepted and then lost.
import type { JetStreamAccess } from '@millrace/bus';
import type { StageCall, Verdict } from '@millrace/contracts';
import { eventually, useBus, useNats } from '@millrace/testkit';
import { expect, test } from 'vitest';
import { resumeRun } from '../api/resume-run.ts';
import { ask } from '../testing/gated-stage.ts';
import { useJetStream } from '../testing/jetstream.ts';
import { planEntry, makePlan } from '../testing/plan-entries.ts';
import { goOn, scriptReplica } from '../testing/scripted-replica.ts';
import { readSuspension, writeResumption } from '../state/suspension-store.ts';
import { useSuspendedRuns } from '../testing/suspended-runs.ts';

const nats = useNats();
const connection = useBus(nats, 'orchestrator');
const stream = useJetStream(connection);
const runs = useSuspendedRuns(stream);

/** Waits for a second by default. */
async function brieflySuspended(expiresInSeconds = 1) {
  const script = ({ entries: [entry] }: StageCall): Verdict[] => [
    entry?.resumeData === undefined ? ask({ expiresInSeconds }) : goOn,
  ];
  runs.stops.push(scriptReplica(connection.bus, 'processInput', ['brief'], script).stop);
  const driver = runs.driver({ text: 'never' });
  const run = await driver.begin({ agent: await driver.apply({}, makePlan([planEntry('brief')])) });
  await run.drive();
  const [pending] = await runs.pending(run);
  const head = await run.head();
  if (!pending || !head) throw new Error('the run is not suspended');
  const isOver = (byMs = 0) => Date.now() > Date.parse(pending.expiresAt) + byMs;
  return { run, head, token: pending.resumeToken, isOver };
}

test('an answer in time counts, even if it is stored after the expiry', async () => {
  const { run, head, token, isOver } = await brieflySuspended();
  runs.expire();
  runs.orchestrator({ text: 'Hello.' });
  const { access } = stream;
  const js = Object.create(access.js, {
    publish: {
      value: async (...args: Parameters<typeof access.js.publish>) => {
        if (args[0].includes(`.resumption.acme.${run.runId}`)) await eventually(() => isOver(100));
        return access.js.publish(...args);
      },
    },
  });
  await resumeRun({ ...access, js }, head, { token, data: 1 }, { kinds: ['approval'], readTools: async () => [] });
  await runs.becomes(run, 'finished');
  expect((await run.end())?.result.text).toBe('Hello.');
});

test('an answer after the expiry is refused', async () => {
  const { run, token, isOver } = await brieflySuspended();
  await eventually(() => isOver());
  await expect(runs.resume(run, token, 1)).rejects.toMatchObject({ code: 'suspension-expired' });
});

test('an answer that is stored after the run has ended is refused and removed', async () => {
  const { run, head, token } = await brieflySuspended();
  await runs.api().release({}, runs.address(run));
  // Its caller has read the head and the questions before that.
  const asked = { ...head, status: 'suspended' as const };
  await expect(
    resumeRun(stream.access, asked, { token, data: 1 }, { kinds: ['approval'], readTools: async () => [] }),
  ).rejects.toMatchObject({
    code: 'run-not-suspended',
  });
  const kept = await runs.listStoredKeys(run);
  expect(kept.filter((key) => !key.startsWith('end.'))).toEqual([`head.acme.${run.runId}`]);
});

test.each([
  ['as the first one', undefined, 'run-not-suspended'],
  ['after an earlier attempt of its request', 'r1', 'run-not-suspended'],
  ['after another request', 'r2', 'resume-token-used'],
])('an answer that is stored %s after the end of the run is removed', async (_order, earlier, code) => {
  const { run, head, token } = await brieflySuspended(60);
  const [pending] = (await readSuspension(stream.access, head))?.pending ?? [];
  if (!pending) throw new Error('the run has no question');
  const [reached, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const access = beforeReading(`.resumption.acme.${run.runId}`, () => {
    reached.resolve();
    return ended.promise;
  });
  const answer = { token, data: 1, resumeId: 'r1' };
  const rules = { kinds: ['approval' as const], readTools: async () => [] };
  const refused = resumeRun(access, head, answer, rules).then(
    () => undefined,
    (error: unknown) => error,
  );
  await reached.promise;
  await runs.api().release({}, runs.address(run));
  const first = { resumeId: earlier ?? '', data: 1 };
  if (earlier) await writeResumption(stream.access, head, pending, first, { hold: false });
  ended.resolve();
  expect(await refused).toMatchObject({ code });
  const kept = await runs.listStoredKeys(run);
  expect(kept.filter((key) => !key.startsWith('end.'))).toEqual([`head.acme.${run.runId}`]);
});

/** Runs `wait` before each read of a subject that includes `part`. */
function beforeReading(part: string, wait: () => Promise<void>): JetStreamAccess {
  const { access } = stream;
  const getMessage = async (...args: Parameters<typeof access.jsm.streams.getMessage>) => {
    if (JSON.stringify(args[1]).includes(part)) await wait();
    return access.jsm.streams.getMessage(...args);
  };
  const streams = Object.create(access.jsm.streams, { getMessage: { value: getMessage } });
  return { ...access, jsm: Object.create(access.jsm, { streams: { value: streams } }) };
}

test('a stored answer without a notification counts when its token is sent again', async () => {
  const { run, head, token } = await brieflySuspended(60);
  const { access } = stream;
  let away = false;
  const js = Object.create(access.js, {
    publish: {
      value: async (...args: Parameters<typeof access.js.publish>) => {
        if (away) throw new Error('the bus is away');
        away = args[0].includes(`.resumption.acme.${run.runId}`);
        return access.js.publish(...args);
      },
    },
  });
  await expect(
    resumeRun({ ...access, js }, head, { token, data: 1 }, { kinds: ['approval'], readTools: async () => [] }),
  ).rejects.toMatchObject({
    code: 'bus-unreachable',
  });
  runs.orchestrator({ text: 'Hello.' });
  await expect(runs.resume(run, token, 2)).rejects.toMatchObject({ code: 'resume-token-used' });
  await runs.becomes(run, 'finished');
});
