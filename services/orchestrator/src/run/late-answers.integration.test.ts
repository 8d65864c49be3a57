// An answer around the expiry of its run: it counts or is refused, but is never accepted and then lost.
import type { StageCall, Verdict } from '@millrace/contracts';
import { eventually, useBus, useNats } from '@millrace/testkit';
import { expect, test } from 'vitest';
import { resumeRun } from '../api/resume-run.ts';
import { ask } from '../testing/gated-stage.ts';
import { beforeWriting } from '../testing/intercepted-access.ts';
import { useJetStream } from '../testing/jetstream.ts';
import { planEntry, makePlan } from '../testing/plan-entries.ts';
import { goOn, scriptReplica } from '../testing/scripted-replica.ts';
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
  scriptReplica(connection.bus, 'processInput', ['brief'], script);
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
  const access = beforeWriting(stream.access, `.resumption.acme.${run.runId}`, () => eventually(() => isOver(100)));
  await resumeRun(access, head, { token, data: 1 }, { kinds: ['approval'], readTools: async () => [] });
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
