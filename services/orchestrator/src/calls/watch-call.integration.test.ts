// The watch of a call in progress: it detects a lost replica, and limits a hanging member to its own time.
import {
  PROCESSORS_HEADER,
  stageCallSchema,
  type PlanEntry,
  type StageCall,
  type StageInput,
} from '@millrace/contracts';
import { type Bus, type ServeContext } from '@millrace/bus';
import { eventually, useBus, useNats } from '@millrace/testkit';
import { describe, expect, test } from 'vitest';
import { dataChunk, listTypes } from '../testing/chunks.ts';
import { planEntry } from '../testing/plan-entries.ts';
import { goOn } from '../testing/scripted-replica.ts';
import { createTestRun, type TestRun } from '../testing/test-run.ts';
import { serveInTest } from '../testing/test-servings.ts';
import type { Discovery } from '../peers/discovery.ts';
import { callProcessors } from './call-processors.ts';

const nats = useNats();
const connection = useBus(nats, 'orchestrator');

const stage = 'processInput';
const input: StageInput = { retryCount: 0, stepNumber: 0, conversation: { entries: [], system: [] } };
const names = ({ entries }: StageCall) => entries.map(({ entry }) => entry).join('+');

type Handle = (call: StageCall, context: ServeContext, bus: Bus) => Promise<object | undefined>;
async function replica(processors: string[], handle: Handle) {
  const bus = await connection.connect({ name: 'guards' });
  const calls: string[] = [];
  const headers: (string | undefined)[] = [];
  const request = stageCallSchema;
  for (const processor of processors) {
    for (const own of [undefined, bus.id]) {
      serveInTest(bus, {
        subject: bus.subjects.stage(stage, { service: 'guards', processor }, own),
        ...(own === undefined && { queue: processor }),
        request,
        handle: (call, context) => {
          calls.push(names(call));
          headers.push(context.readHeader(PROCESSORS_HEADER));
          return handle(call, context, bus);
        },
      });
    }
  }
  await bus.nc.flush();
  return { bus, calls, headers };
}
const judgeAll = async ({ entries }: StageCall, _context: unknown, { id }: Bus) => ({
  sequence: 0,
  verdicts: entries.map(() => goOn),
  ms: entries.map(() => 1),
  replica: id,
});

const testRun = (discovery: Partial<Discovery>) =>
  createTestRun({ bus: connection.bus, discovery: { isServedTogether: () => true, ...discovery } });
async function call(made: TestRun, entries: PlanEntry[], receiveData: (types: string[]) => void = () => undefined) {
  const judged = await Array.fromAsync(
    callProcessors(made.run, entries, { stage, input, receiveData: (chunks) => receiveData(listTypes(chunks)) }),
  );
  return judged.map(({ entry, verdict, attempts }) => `${entry.entry} ${verdict.type} ${attempts}`);
}

describe('a merged call', () => {
  test('lists its processors in a header, and a call of one entry has none', async () => {
    const { calls, headers } = await replica(['a'], judgeAll);
    await call(testRun({}), [planEntry('a'), planEntry('second', { processor: 'a' }), planEntry('b')]);
    await call(testRun({}), [planEntry('a')]);
    expect(calls).toEqual(['a+second+b', 'a']);
    expect(headers).toEqual(['a,a,b', undefined]);
  });

  test('with progress reports limits a hanging member to its own time, and calls the others once', async () => {
    const hanging = await replica(['a', 'b', 'c'], async (asked, { respond }, bus) => {
      if (names(asked) !== 'a+b+c') return judgeAll(asked, undefined, bus);
      respond({ sequence: 0, progress: [], replica: bus.id, judged: { verdicts: [goOn], ms: [1] } });
      return undefined;
    });
    const entries = ['a', 'b', 'c'].map((name) =>
      planEntry(name, { timeoutMs: name === 'b' ? 300 : 60_000, attempts: 1, onFailure: 'skip' }),
    );
    expect(await call(testRun({}), entries)).toEqual(['a continue 1', 'b failure 1', 'c continue 1']);
    expect(hanging.calls).toEqual(['a+b+c', 'c']);
  });

  test('without progress reports is abandoned after the time of its slowest member, not after the sum', async () => {
    const { calls } = await replica(['a', 'b', 'c'], async (asked, context, bus) =>
      names(asked).includes('b') ? undefined : judgeAll(asked, context, bus),
    );
    const entries = ['a', 'b', 'c'].map((name) => planEntry(name, { timeoutMs: 400, attempts: 1 }));
    const started = performance.now();
    expect(await call(testRun({}), entries)).toEqual(['a continue 1', 'b failure 1', 'c continue 1']);
    expect(calls).toEqual(['a+b+c', 'a', 'b', 'c']);
    // Twice 400 ms; with the sum it would be at least 1,600.
    expect(performance.now() - started).toBeLessThan(1_500);
  });
});

describe('a replica that leaves during a call', () => {
  const loseReplicas = (bus: () => Bus | undefined): Partial<Discovery> => ({
    findMissingReplicas: async () => (bus()?.nc.isClosed() ? 'all' : 'none'),
  });

  test('is detected long before the entry’s time is up, and another replica is asked', async () => {
    let leaving: Bus | undefined;
    const first = await replica(['a'], async (_call, _context, bus) => {
      leaving = bus;
      await bus.nc.close();
      return undefined;
    });
    const made = testRun({ ...loseReplicas(() => leaving), findAnsweringReplica: async () => second.bus.id });
    const calling = call(made, [planEntry('a', { timeoutMs: 60_000 })]);
    await eventually(() => first.calls.length === 1);
    const second = await replica(['a'], judgeAll);
    expect(await calling).toEqual(['a continue 2']);
    expect([first.calls, second.calls]).toEqual([['a'], ['a']]);
  });

  test('does not end the last attempt while other replicas are alive: one of them may have the call', async () => {
    const slow = await replica(['a'], async (asked, context, bus) => {
      await new Promise((resolve) => setTimeout(resolve, 1_500));
      return judgeAll(asked, context, bus);
    });
    const made = testRun({ findMissingReplicas: async () => 'some' });
    expect(await call(made, [planEntry('a', { timeoutMs: 60_000, attempts: 1 })])).toEqual(['a continue 1']);
    expect(slow.calls).toEqual(['a']);
  });
});

test('a call with an answer over a lost connection is repeated within seconds, without using an attempt', async () => {
  let connections = 1;
  const answering = await replica(['a'], async (asked, context, bus) => {
    if (answering.calls.length > 1) return judgeAll(asked, context, bus);
    connections += 1;
    return undefined;
  });
  const bus = { ...connection.bus, countConnections: () => connections };
  const made = createTestRun({ bus, discovery: { findAnsweringReplica: async () => answering.bus.id } });
  expect(await call(made, [planEntry('a', { timeoutMs: 60_000 })])).toEqual(['a continue 1']);
});

test('a call to a stopped replica is sent to one that answers, within seconds, without using an attempt', async () => {
  const stopped = await replica(['a', 'b'], async () => undefined);
  let well: Awaited<ReturnType<typeof replica>> | undefined;
  const made = testRun({
    hasSilent: async (_processor, one) => well === undefined || one !== well.bus.id,
    findAnsweringReplica: async () => {
      well ??= await replica(['a', 'b'], judgeAll);
      return well.bus.id;
    },
  });
  const entries = ['a', 'b'].map((name) => planEntry(name, { timeoutMs: 60_000 }));
  expect(await call(made, entries)).toEqual(['a continue 1', 'b continue 1']);
  expect([stopped.calls, well?.calls]).toEqual([['a+b'], ['a+b']]);
});

test('a call in progress during an outage of the bus that outlasts its time is repeated after the reconnect', async () => {
  const made = await replica(['a'], async (asked, context, bus) =>
    made.calls.length > 1 ? judgeAll(asked, context, bus) : undefined,
  );
  let isThere = true;
  const back = new Set<() => void>();
  const bus = {
    ...connection.bus,
    hasConnection: () => isThere,
    onReconnect: (listener: () => void) => (back.add(listener), () => void back.delete(listener)),
  };
  const { run } = createTestRun({ bus });
  const calling = Array.fromAsync(
    callProcessors(run, [planEntry('a', { timeoutMs: 200, attempts: 1 })], {
      stage,
      input,
      receiveData: () => undefined,
    }),
  );
  await eventually(() => made.calls.length === 1);
  isThere = false;
  await eventually(() => back.size === 1);
  isThere = true;
  for (const listener of back) listener();
  expect(await calling).toMatchObject([{ verdict: { type: 'continue' }, attempts: 1 }]);
});

test('custom chunks of a retried entry are not written twice', async () => {
  let tries = 0;
  const talking = await replica(['a', 'b'], async (asked, { respond }, bus) => {
    if (tries++ > 0) {
      respond({ sequence: 0, progress: [dataChunk('one'), dataChunk('two')] });
      return { ...(await judgeAll(asked, undefined, bus)), sequence: 1 };
    }
    respond({ sequence: 0, progress: [dataChunk('one')], entry: 'b' });
    const failure = { type: 'failure', code: 'processor-failed', message: 'broken', retryable: true };
    return { sequence: 1, verdicts: [goOn, failure], ms: [1, 1], replica: bus.id };
  });
  const written: string[] = [];
  const made = testRun({ findAnsweringReplica: async () => talking.bus.id });
  const shown = await call(made, [planEntry('a'), planEntry('b')], (types) => void written.push(...types));
  expect(shown).toEqual(['a continue 1', 'b continue 2']);
  expect(written).toEqual(['data-one', 'data-two']);
});

test('a processor that exceeds the progress budget of a call fails alone; its chunks so far are published', async () => {
  const parts = Array.from({ length: 100 }, (_, at) => dataChunk(String(at)));
  await replica(['a', 'b'], async (asked, context, bus) => {
    if (names(asked) === 'a') return judgeAll(asked, context, bus);
    for (let sequence = 0; sequence < 200; sequence++) context.respond({ sequence, progress: parts, entry: 'b' });
    return { ...(await judgeAll(asked, context, bus)), sequence: 200 };
  });
  let written = 0;
  const made = testRun({});
  const entries = [planEntry('a', { timeoutMs: 10_000 }), planEntry('b', { timeoutMs: 10_000, onFailure: 'skip' })];
  expect(await call(made, entries, (types) => void (written += types.length))).toEqual(['a continue 1', 'b failure 1']);
  expect(written).toBe(1_000);
});
