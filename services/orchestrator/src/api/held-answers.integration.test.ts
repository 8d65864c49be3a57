// Answers with `hold`: the last answer of their caller, without it, resumes the run.
import { stateKeys } from '@millrace/contracts';
import { writeEntry } from '@millrace/bus';
import { useBus, useNats } from '@millrace/testkit';
import { describe, expect, test } from 'vitest';
import { writeResumption } from '../state/suspension-store.ts';
import { completeSuspension } from '../takeover/after-suspension.ts';
import { answer, suspendTwoCalls } from '../testing/answers.ts';
import { beforeReading, beforeWriting, withFullQueue } from '../testing/intercepted-access.ts';
import { useJetStream } from '../testing/jetstream.ts';
import { useSuspendedRuns } from '../testing/suspended-runs.ts';

const nats = useNats();
const connection = useBus(nats, 'orchestrator');
const stream = useJetStream(connection);
const runs = useSuspendedRuns(stream);

describe('an answer with `hold`', () => {
  test('stays although its first request fails, if another request has received resume-token-used', async () => {
    const { access } = stream;
    const { run, head, first, second } = await suspendTwoCalls(stream, runs);
    const held = { token: first.resumeToken, data: 1, hold: true };
    const codes: string[] = [];
    const failing = beforeReading(access, `.head.acme.${run.runId}`, async () => {
      codes.push(await answer(access, head, held));
      throw new Error('the bus is away');
    });
    codes.push(await answer(failing, head, held));
    expect(codes).toEqual(['resume-token-used', 'bus-unreachable']);
    runs.orchestrator({ text: 'Hello.' });
    await runs.resume(run, second.resumeToken, 1);
    await runs.becomes(run, 'finished');
    expect((await run.head())?.epoch).toBe(2);
  });

  test('resumes the run if it is stored while the run is suspended again after the use of its last answer', async () => {
    const { access } = stream;
    const { run, head, first, second } = await suspendTwoCalls(stream, runs);
    const codes: string[] = [];
    const owner = beforeWriting(access, '.end.', async () => {
      const now = (await run.head()) ?? head;
      codes.push(now.status);
      codes.push(await answer(access, now, { token: first.resumeToken, data: 1, hold: true }));
      codes.push(await answer(access, now, { token: second.resumeToken, data: 1 }));
    });
    runs.orchestratorWith(owner, { text: 'Hello.' });
    expect(await answer(access, head, { token: second.resumeToken, data: 1 })).toBe('accepted');
    await runs.becomes(run, 'finished');
    expect(codes).toEqual(['running', 'accepted', 'resume-token-used']);
  });

  test('resumes the run if the suspension is completed again: the command of the expiry would be a duplicate of a dropped one', async () => {
    const { access } = stream;
    const { run, head, first } = await suspendTwoCalls(stream, runs, { expiresInSeconds: 2 });
    expect(await answer(access, head, { token: first.resumeToken, data: 1, hold: true })).toBe('accepted');
    // The ack of the owner was lost: its command is delivered again.
    await run.drive();
    runs.orchestrator({ text: 'Hello.' });
    runs.expire();
    await runs.becomes(run, 'failed');
    expect((await run.head())?.epoch).toBeGreaterThan(1);
  });

  test('resumes the run with the command of the suspension, also if the answer is repeated before an orchestrator takes it', async () => {
    const { run, head, first } = await suspendTwoCalls(stream, runs);
    const held = { token: first.resumeToken, data: 1, hold: true, resumeId: 'r1' };
    expect(await answer(stream.access, head, held)).toBe('accepted');
    await completeSuspension(stream.access, head);
    expect(await answer(stream.access, head, held)).toBe('accepted');
    runs.orchestrator({ text: 'Hello.' });
    await expect.poll(run.head).toMatchObject({ status: 'suspended', epoch: 2 });
  });

  test('publishes no command if an orchestrator of an earlier version has stored it', async () => {
    const { run, head, first } = await suspendTwoCalls(stream, runs);
    const key = stateKeys.resumption('acme', run.runId, first.id);
    await writeEntry(stream.access, connection.bus.names.state, key, { resumeId: 'r1', data: 1 }, {});
    const before = await runs.countCommands();
    const repeated = { token: first.resumeToken, data: 1, hold: true, resumeId: 'r1' };
    expect(await answer(stream.access, head, repeated)).toBe('accepted');
    expect(await runs.countCommands()).toBe(before);
  });
});

describe('an answer without `hold`', () => {
  test('resumes the run with the command of another request, also if that one has `hold`', async () => {
    const { access } = stream;
    const { run, head, first, second } = await suspendTwoCalls(stream, runs);
    await writeResumption(access, head, second, { resumeId: 'r1', data: 1, held: true });
    const token = first.resumeToken;
    const failing = beforeReading(access, `.head.acme.${run.runId}`, async () => {
      expect(await answer(access, head, { token, data: 2, hold: true })).toBe('resume-token-used');
      throw new Error('the bus is away');
    });
    expect(await answer(failing, head, { token, data: 1 })).toBe('bus-unreachable');
    runs.orchestrator({ text: 'Hello.' });
    await runs.becomes(run, 'finished');
  });

  test('is used for a request with `hold`, also if the queue is full', async () => {
    const { run, head, first } = await suspendTwoCalls(stream, runs);
    const token = first.resumeToken;
    expect(await answer(stream.access, head, { token, data: 1 })).toBe('accepted');
    const full = withFullQueue(stream.access);
    expect(await answer(full, head, { token, data: 1, hold: true })).toBe('resume-token-used');
    runs.orchestrator({ text: 'Hello.' });
    await expect.poll(run.head).toMatchObject({ status: 'suspended', epoch: 2 });
  });
});
