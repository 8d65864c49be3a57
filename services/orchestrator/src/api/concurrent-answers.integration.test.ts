// Answers that race with the end of their run, or with further requests for the same answer.
import type { OpenPending, RunHead } from '@millrace/contracts';
import { useBus, useNats } from '@millrace/testkit';
import { describe, expect, test } from 'vitest';
import { createDeleteVerb } from '../erase/delete-verb.ts';
import { readResumptions, writeResumption } from '../state/suspension-store.ts';
import { completeSuspension } from '../takeover/after-suspension.ts';
import { answer, suspendOnce, suspendTwoCalls } from '../testing/answers.ts';
import { gatedCalls } from '../testing/gated-stage.ts';
import { beforeReading, withFullQueue } from '../testing/intercepted-access.ts';
import { useJetStream } from '../testing/jetstream.ts';
import { useSuspendedRuns } from '../testing/suspended-runs.ts';

const nats = useNats();
const connection = useBus(nats, 'orchestrator');
const stream = useJetStream(connection);
const runs = useSuspendedRuns(stream);

const listAnswers = (head: RunHead, pending: OpenPending) => readResumptions(stream.access, head, [pending]);

describe('an answer to a run that has ended by the time of its write', () => {
  test.each([
    ['if it is the first one', undefined, 'run-not-suspended'],
    ['if an earlier attempt of its request has stored it', 'r1', 'run-not-suspended'],
    ['if another request has stored one', 'r2', 'resume-token-used'],
  ])('is removed %s', async (_condition, earlier, code) => {
    const { run, head, first } = await suspendOnce(stream, runs);
    const access = beforeReading(stream.access, `.resumption.acme.${run.runId}`, async () => {
      await runs.api().release({}, runs.address(run));
      if (earlier) await writeResumption(stream.access, head, first, { resumeId: earlier, data: 1 });
    });
    expect(await answer(access, head, { token: first.resumeToken, data: 1, resumeId: 'r1' })).toBe(code);
    expect(await listAnswers(head, first)).toEqual([]);
  });

  test('is removed if the run has been deleted', async () => {
    const { run, head, first } = await suspendOnce(stream, runs);
    const access = beforeReading(stream.access, `.resumption.acme.${run.runId}`, () =>
      createDeleteVerb(stream.access)({}, runs.address(run)),
    );
    expect(await answer(access, head, { token: first.resumeToken, data: 'private' })).toBe('run-unknown');
    expect(await listAnswers(head, first)).toEqual([]);
  });
});

describe('an answer that its first request fails to complete', () => {
  test.each([
    ['the suspended run', {}],
    ['an active run', { status: 'running' as const, epoch: 2, suspension: undefined }],
  ])('is removed if its request has read %s before the run was suspended again', async (_read, read) => {
    const { run, head, first, second } = await suspendTwoCalls(stream, runs);
    const suspendAgain = async () => {
      expect(await answer(stream.access, head, { token: second.resumeToken, data: 1 })).toBe('accepted');
      runs.orchestrator({ text: 'Hello.' });
      await expect.poll(run.head).toMatchObject({ status: 'suspended', epoch: 2 });
      await expect.poll(runs.countCommands).toBe(0);
    };
    const access = withFullQueue(beforeReading(stream.access, `.resumption.acme.${run.runId}`, suspendAgain));
    expect(await answer(access, { ...head, ...read }, { token: first.resumeToken, data: 1 })).toBe('queue-full');
    expect(await listAnswers(head, first)).toEqual([]);
    await runs.resume(run, first.resumeToken, 'again');
    await runs.becomes(run, 'finished');
  });

  test('is removed if the request cannot read the head of the run: another answer is accepted', async () => {
    const { run, head, first } = await suspendOnce(stream, runs);
    const token = first.resumeToken;
    const fail = () => Promise.reject(new Error('the bus is away'));
    const part = `.head.acme.${run.runId}`;
    const failing = beforeReading(beforeReading(stream.access, part, fail), part, fail);
    expect(await answer(failing, head, { token, data: 'first' })).toBe('bus-unreachable');
    expect(await answer(stream.access, head, { token, data: 'second' })).toBe('accepted');
    runs.orchestrator({ text: 'Hello.' });
    await runs.becomes(run, 'finished');
  });

  test('is accepted if another command has resumed the run with it: its token is used', async () => {
    const { run, head, first, received } = await suspendOnce(stream, runs);
    const [reached, seen] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const look = async () => {
      reached.resolve();
      await seen.promise;
      return { result: 'seen' };
    };
    runs.serveTool(connection.bus, 'look', look);
    runs.orchestrator({ calls: gatedCalls }, { text: 'Hello.' });
    const token = first.resumeToken;
    const access = beforeReading(stream.access, `.head.acme.${run.runId}`, async () => {
      await completeSuspension(stream.access, head);
      await reached.promise;
      throw new Error('the bus is away');
    });
    expect(await answer(access, head, { token, data: 'first' })).toBe('accepted');
    expect(await answer(stream.access, head, { token, data: 'second' })).toBe('resume-token-used');
    seen.resolve();
    await runs.becomes(run, 'finished');
    expect(received.flatMap(({ entries }) => entries[0]?.resumeData ?? [])).toEqual(['first']);
  });
});
