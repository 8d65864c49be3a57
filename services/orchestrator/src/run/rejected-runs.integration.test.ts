// A run with a lost owner while it retracts chunks that a late stage has rejected: readers cannot restore dropped
// chunks, so a stored rejection is final, and an unstored one has retracted nothing.
import { eventually, useBus, useNats } from '@millrace/testkit';
import { expect, test } from 'vitest';
import { readChunks } from '../api/read-run.ts';
import { createRunStop } from '../state/run-stop.ts';
import { newReader, take, takeAnswer, type Reader } from '../testing/chunk-histories.ts';
import { createDriver } from '../testing/driven-runs.ts';
import { useJetStream } from '../testing/jetstream.ts';
import { planEntry, makePlan } from '../testing/plan-entries.ts';
import { goOn, scriptReplica } from '../testing/scripted-replica.ts';
import { driveRun } from '../takeover/drive-run.ts';

const nats = useNats();
const connection = useBus(nats, 'orchestrator');
const stream = useJetStream(connection);

/** A run with a result that is rejected once. Only the given number of its owner's later heads arrive. */
async function lostInRejecting({ retry, heads }: { retry: boolean; heads: number }) {
  let judgements = 0;
  let written = 0;
  const lost = Promise.withResolvers<never>();
  lost.promise.catch(() => undefined);
  const { access } = stream;
  const js = Object.create(access.js, {
    publish: {
      value: (...args: Parameters<typeof access.js.publish>) => {
        const isCounted = judgements > 0 && args[0].includes('.head.acme.');
        return isCounted && ++written > heads ? lost.promise : access.js.publish(...args);
      },
    },
  });
  const first = createDriver({ access: { ...access, js } }, { text: 'Hello.' });
  scriptReplica(connection.bus, 'processOutputResult', ['moody'], () =>
    ++judgements === 1 ? [{ type: 'abort', reason: 'no', retry }] : [goOn],
  );
  const second = createDriver(stream, { text: 'Sorry.' });
  const plan = makePlan([planEntry('moody', { stages: ['processOutputResult'], reads: ['response'] })]);
  const run = await first.begin({ agent: await first.apply({ maxProcessorRetries: 1 }, plan) });
  const driving = run.drive().catch(() => undefined);
  await eventually(() => written > heads);
  await connection.bus.nc.flush();
  run.fence();
  // A bug that is thrown is not retried.
  lost.reject(new TypeError('lost'));
  await driving;
  await driveRun(second.deps, run.delivery, createRunStop());
  await connection.bus.nc.flush();
  const head = await run.head();
  if (!head) throw new Error('the run has no head');
  const placed = run.live.flatMap(({ epoch, index, chunks }) =>
    chunks.map((chunk, at) => ({ epoch, index: index + at, chunk })),
  );
  const { batches, epoch, nextIndex: index } = await readChunks(stream.access, head, { epoch: 1, index: 0 });
  return {
    result: (await run.end())?.result,
    live: readText(placed.reduce(take, newReader())),
    late: readText(takeAnswer(newReader(), batches, { epoch, index })),
  };
}

const readText = ({ has }: Reader): string =>
  has.flatMap(({ chunk }) => (chunk.type === 'text-delta' ? [String(Object(chunk['payload']).text)] : [])).join('');

test.each([
  ['to be asked for again', true],
  ['for good', false],
])('chunks that a lost owner was about to reject %s stay if the next one does not reject them', async (_how, retry) => {
  const { result, live, late } = await lostInRejecting({ retry, heads: 0 });
  expect(result).toMatchObject({ status: 'finished', text: 'Hello.' });
  expect({ live, late }).toEqual({ live: 'Hello.', late: 'Hello.' });
});

test('a final rejection of a lost owner is not judged again: the run ends with it', async () => {
  const { result, live, late } = await lostInRejecting({ retry: false, heads: 1 });
  expect(result).toMatchObject({ status: 'aborted', text: '', tripwire: { reason: 'no' } });
  expect({ live, late }).toEqual({ live: '', late: '' });
});

test('a rejection of a lost owner with a retry is retried by the next one', async () => {
  const { result, live, late } = await lostInRejecting({ retry: true, heads: 1 });
  expect(result).toMatchObject({ status: 'finished', text: 'Sorry.' });
  expect({ live, late }).toEqual({ live: 'Sorry.', late: 'Sorry.' });
});
