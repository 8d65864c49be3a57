// The output stream's processors of a step as one chain: waiting chunks, and notifications when the run is stopped.
import {
  SESSION_LIMITS,
  sessionInputSchema,
  sessionOpenSchema,
  type Chunk,
  type PlanEntry,
  type SessionOpen,
} from '@millrace/contracts';
import { listen, publish } from '@millrace/bus';
import { useBus, useNats } from '@millrace/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { dataChunk } from '../testing/chunks.ts';
import { planEntry } from '../testing/plan-entries.ts';
import { words } from '../testing/session-replica.ts';
import { createTestRun } from '../testing/test-run.ts';
import { serveInTest } from '../testing/test-servings.ts';
import { openOutputChain } from './output-chain.ts';

const nats = useNats();
const connection = useBus(nats, 'orchestrator');

const input = { retryCount: 0, stepNumber: 0 };
const nowhere = { output: () => undefined, retract: () => undefined, listPassed: () => [] };
/** A guard with a replica that opens sessions and then never answers. */
async function openGuarded(more: Partial<PlanEntry> = {}) {
  const guard = planEntry('guard', { stages: ['processOutputStream'], ...more });
  const subject = connection.bus.subjects.stage('processOutputStream', { service: 'guards', processor: 'guard' });
  const opened = { opened: true, replica: 'r1', service: 'guards', served: 1 };
  serveInTest(connection.bus, { subject, request: sessionOpenSchema, handle: async () => opened });
  await connection.bus.nc.flush();
  return createTestRun({ bus: connection.bus, entries: [guard] });
}

test('a full output chain releases its feeder when the run is stopped', async () => {
  const { run, stop } = await openGuarded();
  const chain = await openOutputChain(run, input, nowhere);
  chain.push(words(SESSION_LIMITS.windowChunks * 3));
  const waiting = chain.awaitRoom();
  stop('deadline');
  await expect(waiting).resolves.toBeUndefined();
  await expect(chain.awaitRoom()).resolves.toBeUndefined();
  chain.drop();
});

test('an output chain passes nothing if the run was stopped before its guards were asked, not even a guard that may be skipped', async () => {
  const { run, stop } = await openGuarded({ onFailure: 'skip' });
  stop('cancelled');
  const out: Chunk[] = [];
  const chain = await openOutputChain(run, input, { ...nowhere, output: (chunks) => void out.push(...chunks) });
  chain.push(words(3));
  const { stopped } = await chain.end();
  expect(out).toEqual([]);
  expect(stopped).toMatchObject({ entry: { entry: 'guard' }, verdict: { code: 'cancelled' } });
});

test('a replica that opens sessions and then disappears is asked a bounded number of times, and the output chain ends', async () => {
  const { run, logged } = await openGuarded();
  const chain = await openOutputChain(run, input, nowhere);
  chain.push(words(1));
  const { stopped } = await chain.end();
  expect(stopped).toMatchObject({ verdict: { code: 'session-lost', message: expect.stringContaining('went away') } });
  expect(logged.filter((line) => line.includes('opening the sessions again'))).toHaveLength(3);
}, 30_000);

test('entries without a verdict after the one that stopped have not failed', async () => {
  const { bus } = connection;
  const handle = async ({ session, orchestrator }: SessionOpen) => {
    const verdicts = [{ type: 'halt', response: 'Enough.' }];
    const answer = { session, sequence: 0, processed: 1, chunks: [], verdicts, ms: [1] };
    listen(bus, bus.subjects.session('guards', 'r1', session), sessionInputSchema, ({ chunks }) => {
      if (chunks.length > 0) publish(bus, bus.subjects.out(orchestrator, session), answer);
    });
    return { opened: true, replica: 'r1', service: 'guards', served: 2 };
  };
  const subject = bus.subjects.stage('processOutputStream', { service: 'guards', processor: 'first' });
  serveInTest(bus, { subject, request: sessionOpenSchema, handle });
  await bus.nc.flush();
  const entries = ['first', 'second'].map((name) => planEntry(name, { stages: ['processOutputStream'] }));
  const made = createTestRun({ bus, entries, discovery: { isServedTogether: () => true } });
  const chain = await openOutputChain(made.run, input, nowhere);
  chain.push(words(1));
  const { stopped, outcomes } = await chain.end();
  expect(stopped).toMatchObject({ entry: { entry: 'first' }, verdict: { type: 'halt' } });
  expect(outcomes).toMatchObject([{ entry: 'first', verdict: 'halt' }]);
});

test('an output chain fails if text arrives after a processor has reported all chunks as processed', async () => {
  const guard = planEntry('early', { stages: ['processOutputStream'], attempts: 1 });
  const { bus } = connection;
  const opened = { opened: true, replica: 'r1', service: 'guards', served: 1 };
  let sequence = 0;
  const answer = (session: string, more: object) =>
    publish(bus, bus.subjects.out(bus.id, session), { session, sequence: sequence++, chunks: [], ...more });
  const handle = async ({ session }: SessionOpen) => {
    const fed = listen(bus, bus.subjects.session('guards', 'r1', session), sessionInputSchema, ({ chunks, end }) => {
      if (!end) return answer(session, { processed: chunks.length });
      answer(session, { processed: 2, chunks: words(1), verdicts: [{ type: 'continue' }], ms: [1] });
    });
    onTestFinished(() => fed.stop());
    return opened;
  };
  serveInTest(bus, {
    subject: bus.subjects.stage('processOutputStream', { service: 'guards', processor: 'early' }),
    request: sessionOpenSchema,
    handle,
  });
  await bus.nc.flush();
  const made = createTestRun({ bus, entries: [guard] });
  const out: Chunk[] = [];
  const chain = await openOutputChain(made.run, input, { ...nowhere, output: (chunks) => void out.push(...chunks) });
  chain.push(words(1));
  const { stopped } = await chain.end(() => [dataChunk('last')]);
  expect(out).toEqual([]);
  expect(stopped).toMatchObject({
    verdict: { code: 'processor-failed', message: expect.stringContaining('"text-delta" chunk arrived after') },
  });
});
