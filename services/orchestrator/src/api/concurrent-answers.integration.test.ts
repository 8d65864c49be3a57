// Answers that race with the end of their run, or with further requests for the same answer.
import type { ApiRequest, OpenPending, RunHead } from '@millrace/contracts';
import type { JetStreamAccess } from '@millrace/bus';
import { useBus, useNats } from '@millrace/testkit';
import { describe, expect, test } from 'vitest';
import { createDeleteVerb } from '../erase/delete-verb.ts';
import { readResumptions, writeResumption } from '../state/suspension-store.ts';
import { completeSuspension } from '../takeover/after-suspension.ts';
import { gateStage, gatedCalls } from '../testing/gated-stage.ts';
import { useJetStream } from '../testing/jetstream.ts';
import { lookCalls } from '../testing/look-tool.ts';
import type { Say } from '../testing/scripted-model.ts';
import { useSuspendedRuns } from '../testing/suspended-runs.ts';
import { resumeRun } from './resume-run.ts';

const nats = useNats();
const connection = useBus(nats, 'orchestrator');
const stream = useJetStream(connection);
const runs = useSuspendedRuns(stream);

async function suspendRun(stage: 'processInput' | 'processToolCall' = 'processInput', says: Say = { text: 'never' }) {
  const gate = gateStage(connection.bus, stage);
  runs.stops.push(...gate.stops);
  const driver = runs.driver(says);
  const run = await driver.begin({ agent: await driver.apply({}, gate.plan) });
  await run.drive();
  const [[pending, ...further], head] = await Promise.all([runs.pending(run), run.head()]);
  if (!pending || !head) throw new Error('the run is not suspended');
  return { ...gate, run, head, pending, further };
}

const answer = (access: JetStreamAccess, head: RunHead, request: ApiRequest<'resume'>) =>
  resumeRun(access, head, request, { kinds: ['approval'], readTools: async () => [] }).then(
    () => 'accepted',
    ({ code }: { code: string }) => code,
  );

/** Runs `intercept` once, before the first read of a subject that includes `part`. */
function beforeReading(part: string, intercept: () => Promise<unknown>): JetStreamAccess {
  const { access } = stream;
  let waits = true;
  const getMessage = async (...args: Parameters<typeof access.jsm.streams.getMessage>) => {
    if (waits && JSON.stringify(args[1]).includes(part)) {
      waits = false;
      await intercept();
    }
    return access.jsm.streams.getMessage(...args);
  };
  const streams = Object.create(access.jsm.streams, { getMessage: { value: getMessage } });
  return { ...access, jsm: Object.create(access.jsm, { streams: { value: streams } }) };
}

const listAnswers = (head: RunHead, pending: OpenPending) => readResumptions(stream.access, head, [pending]);

describe('an answer to a run that has ended by the time of its write', () => {
  test.each([
    ['if it is the first one', undefined, 'run-not-suspended'],
    ['if an earlier attempt of its request has stored it', 'r1', 'run-not-suspended'],
    ['if another request has stored one', 'r2', 'resume-token-used'],
  ])('is removed %s', async (_condition, earlier, code) => {
    const { run, head, pending } = await suspendRun();
    const access = beforeReading(`.resumption.acme.${run.runId}`, async () => {
      await runs.api().release({}, runs.address(run));
      if (earlier) await writeResumption(stream.access, head, pending, { resumeId: earlier, data: 1 });
    });
    expect(await answer(access, head, { token: pending.resumeToken, data: 1, resumeId: 'r1' })).toBe(code);
    expect(await listAnswers(head, pending)).toEqual([]);
  });

  test('is removed if the run has been deleted', async () => {
    const { run, head, pending } = await suspendRun();
    const access = beforeReading(`.resumption.acme.${run.runId}`, () =>
      createDeleteVerb(stream.access)({}, runs.address(run)),
    );
    expect(await answer(access, head, { token: pending.resumeToken, data: 'private' })).toBe('run-unknown');
    expect(await listAnswers(head, pending)).toEqual([]);
  });
});

describe('an answer that its first request fails to complete', () => {
  const fail = () => Promise.reject(new Error('the bus is away'));

  test('stays with `hold` if another request with `hold` has received resume-token-used', async () => {
    const calls = ['c1', 'c2'].flatMap((id) => lookCalls('{"at":1}').map((call) => ({ ...call, toolCallId: id })));
    const { run, head, pending, further } = await suspendRun('processToolCall', { calls });
    const held = { token: pending.resumeToken, data: 1, hold: true };
    const codes: string[] = [];
    const access = beforeReading(`.head.acme.${run.runId}`, async () => {
      codes.push(await answer(stream.access, head, held));
      await fail();
    });
    codes.push(await answer(access, head, held));
    expect(codes).toEqual(['resume-token-used', 'bus-unreachable']);
    runs.stops.push(runs.serveTool(connection.bus, 'look', async () => ({ result: 'seen' })));
    runs.orchestrator({ text: 'Hello.' });
    await runs.resume(run, further[0]?.resumeToken ?? '', 1);
    await runs.becomes(run, 'finished');
    expect((await run.head())?.epoch).toBe(2);
  });

  test('resumes the run with the command of another request, also if that one has `hold`', async () => {
    const { run, head, pending } = await suspendRun();
    const token = pending.resumeToken;
    const access = beforeReading(`.head.acme.${run.runId}`, async () => {
      expect(await answer(stream.access, head, { token, data: 2, hold: true })).toBe('resume-token-used');
      await fail();
    });
    expect(await answer(access, head, { token, data: 1 })).toBe('bus-unreachable');
    runs.orchestrator({ text: 'Hello.' });
    await runs.becomes(run, 'finished');
  });

  test('stays if another command has resumed the run with it: its token is used', async () => {
    const { run, head, pending, received } = await suspendRun();
    const [reached, seen] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const look = async () => {
      reached.resolve();
      await seen.promise;
      return { result: 'seen' };
    };
    runs.stops.push(runs.serveTool(connection.bus, 'look', look));
    runs.orchestrator({ calls: gatedCalls }, { text: 'Hello.' });
    const token = pending.resumeToken;
    const access = beforeReading(`.head.acme.${run.runId}`, async () => {
      await completeSuspension(stream.access, head);
      await reached.promise;
      await fail();
    });
    expect(await answer(access, head, { token, data: 'first' })).toBe('bus-unreachable');
    expect(await answer(stream.access, head, { token, data: 'second' })).toBe('resume-token-used');
    seen.resolve();
    await runs.becomes(run, 'finished');
    expect(received.flatMap(({ entries }) => entries[0]?.resumeData ?? [])).toEqual(['first']);
  });
});
