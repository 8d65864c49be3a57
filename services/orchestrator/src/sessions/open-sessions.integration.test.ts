// Opening the output stream's sessions: the policy applies to one entry, and unused sessions are closed.
import {
  MAX_STATE_CHARS,
  PROCESSORS_HEADER,
  sessionInputSchema,
  sessionOpenSchema,
  type Chunk,
  type PlanEntry,
  type SessionOpen,
  type SessionOpened,
} from '@millrace/contracts';
import { listen, type Bus, type ServeContext } from '@millrace/bus';
import { useBus, useNats } from '@millrace/testkit';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { delta, makeText } from '../testing/chunks.ts';
import { planEntry } from '../testing/plan-entries.ts';
import { failure, goOn } from '../testing/scripted-replica.ts';
import { RUN_ID } from '../testing/run-states.ts';
import { createTestRun, type TestRun } from '../testing/test-run.ts';
import { serveInTest } from '../testing/test-servings.ts';
import { makeChunk } from '../transcript/make-chunk.ts';
import { openSessions } from './open-sessions.ts';
import { guardChunks } from './guard-chunks.ts';

const nats = useNats();
const connection = useBus(nats, 'orchestrator');

const STAGE = 'processOutputStream';
const input = { retryCount: 0, stepNumber: 0 };
const entries = (...names: string[]): PlanEntry[] =>
  names.map((name) => planEntry(name, { stages: [STAGE], timeoutMs: 150 }));
const listNames = ({ entries: asked }: SessionOpen) => asked.map(({ entry }) => entry).join('+');

type Script = (open: SessionOpen, answer: (more?: Partial<SessionOpened>) => object) => object | 'silence';
/** A replica that answers opens as a test defines. */
async function replica(processors: string[], script: Script) {
  const bus = await connection.connect({ name: 'guards' });
  const opens: string[] = [];
  const headers: (string | undefined)[] = [];
  const handle = async (open: SessionOpen, { readHeader }: ServeContext) => {
    opens.push(listNames(open));
    headers.push(readHeader(PROCESSORS_HEADER));
    const opened = { opened: true, replica: bus.id, service: 'guards', served: open.entries.length };
    const said = script(open, (more) => ({ ...opened, ...more }));
    return said === 'silence' ? undefined : said;
  };
  for (const processor of processors) {
    const queued = { subject: bus.subjects.stage(STAGE, { service: 'guards', processor }), queue: processor };
    serveInTest(bus, { ...queued, request: sessionOpenSchema, handle });
    serveInTest(bus, {
      subject: bus.subjects.stage(STAGE, { service: 'guards', processor }, bus.id),
      request: sessionOpenSchema,
      handle,
    });
  }
  await bus.nc.flush();
  return { bus, opens, headers };
}
function testRun(list: PlanEntry[], { second, merged = true }: { second?: Bus; merged?: boolean } = {}) {
  const discovery = { isServedTogether: () => merged, findAnsweringReplica: async () => second?.id };
  return createTestRun({ bus: connection.bus, entries: list, discovery });
}
async function open(list: PlanEntry[], options?: Parameters<typeof testRun>[1]) {
  const { run } = testRun(list, options);
  const openings = await openSessions(run, list, input);
  const shown = openings.map((opening) =>
    'answer' in opening
      ? `${opening.entries.map(({ entry }) => entry).join('+')} ${opening.attempts}`
      : `${opening.entry.entry} ${opening.failure.code} ${opening.attempts}`,
  );
  for (const opening of openings) if ('answer' in opening) opening.answer.connection.client.drop();
  return shown;
}

describe('opened sessions', () => {
  test('are one for a list of adjacent entries', async () => {
    const { opens, headers } = await replica(['a'], (_open, answer) => answer());
    expect(await open(entries('a', 'b', 'c'))).toEqual(['a+b+c 1']);
    expect(await open(entries('a'))).toEqual(['a 1']);
    expect(opens).toEqual(['a+b+c', 'a']);
    expect(headers).toEqual(['a,b,c', undefined]);
  });

  test('are more if a replica serves only the head of the list', async () => {
    const serveOpens = (_open: SessionOpen, answer: (more?: object) => object) => answer({ served: 2 });
    await replica(['a', 'c'], (opening, answer) =>
      opening.entries.length > 2 ? serveOpens(opening, answer) : answer(),
    );
    expect(await open(entries('a', 'b', 'c', 'd'))).toEqual(['a+b 1', 'c+d 1']);
  });

  test('are opened one by one if the list is not answered, and one that hangs fails alone', async () => {
    const { opens } = await replica(['a', 'b', 'c'], (opening, answer) =>
      opening.entries.some(({ entry }) => entry === 'b') ? 'silence' : answer(),
    );
    const started = performance.now();
    expect(await open(entries('a', 'b', 'c'))).toEqual(['a 1', 'b processor-timeout 1', 'c 1']);
    expect(opens.toSorted()).toEqual(['a', 'a+b+c', 'b', 'c']);
    // The sum for the list, then all entries concurrently.
    expect(performance.now() - started).toBeLessThan(1_000);
  });

  test('receive chunks on the subject derived from the answer’s tokens, whatever subject it names', async () => {
    const heard: string[] = [];
    const foreign = listen(connection.bus, 'foreign.subject', z.unknown(), () => heard.push('foreign'));
    await replica(['a'], (_open, answer) => ({ ...answer(), subject: 'foreign.subject' }));
    const list = entries('a');
    const [opening] = await openSessions(testRun(list).run, list, input);
    if (!opening || !('answer' in opening)) throw new Error('it was to be opened');
    const { connection: session, opened } = opening.answer;
    const own = connection.bus.subjects.session('guards', opened.replica, session.session);
    const fed = listen(connection.bus, own, sessionInputSchema, () => heard.push('own'));
    await connection.bus.nc.flush();
    session.start({ output() {}, onEnded() {}, onAdvanced() {} });
    session.client.push([delta('a')]);
    await connection.bus.nc.flush();
    session.client.drop();
    await connection.bus.nc.flush();
    expect(heard).toEqual(['own', 'own']);
    for (const listening of [foreign, fed]) listening.stop();
  });

  test.each([{ service: 'a b' }, { replica: 'a\r\nPUB x' }, { service: 'x'.repeat(70_000) }, { replica: '>' }])(
    'are refused if the answer names an invalid token, and nothing is published',
    async (tokens) => {
      await replica(['a'], (_open, answer) => ({ ...answer(), ...tokens }));
      const patient = planEntry('a', { stages: [STAGE], timeoutMs: 10_000 });
      expect(await open([patient])).toEqual(['a message-invalid 1']);
    },
  );

  test('are retried on a replica that answered a ping', async () => {
    const well = await replica([], () => 'silence');
    const own = await replica(['a'], (_open, answer) => (own.opens.length > 1 ? answer() : 'silence'));
    expect(well.opens).toEqual([]);
    expect(await open(entries('a'), { second: own.bus })).toEqual(['a 2']);
  });

  test('without a replica fail at once, by name', async () => {
    expect(await open(entries('a'))).toEqual(['a processor-not-there 1']);
  });

  test('that are refused for their options are not retried', async () => {
    const refused = failure({ code: 'options-invalid', retryable: false });
    const { opens, bus } = await replica(['a'], () => ({ opened: false, verdicts: [refused] }));
    expect(await open(entries('a'), { second: bus })).toEqual(['a options-invalid 1']);
    expect(opens).toEqual(['a']);
  });

  test('that are refused with another verdict than a failure fail, because a refusal has no stream to judge', async () => {
    await replica(['a'], () => ({ opened: false, verdicts: [{ type: 'abort', reason: 'no' }] }));
    expect(await open(entries('a'))).toEqual(['a processor-verdict-refused 1']);
  });
});

describe('a batch of chunks', () => {
  const upper = ({ chunks = [] }: SessionOpen) =>
    chunks.map((part) => (part.type === 'text-delta' ? delta(part.payload.text.toUpperCase()) : part));
  const whole = (open: SessionOpen, answer: (more?: object) => object, verdicts: object[]) =>
    answer({ output: { chunks: upper(open), verdicts, ms: verdicts.map(() => 1) } });
  const pass = async (made: TestRun) => {
    const { chunks, interrupt } = await guardChunks(made.run, [delta('text')]);
    return { text: makeText(chunks), interrupt };
  };

  test('passes all processors in order, with their states and violations', async () => {
    const violation = { processorId: 'a', message: 'found' };
    await replica(['a'], (opening, answer) =>
      whole(opening, answer, [{ type: 'continue', state: { sequence: 1 }, violations: [violation] }, goOn]),
    );
    const made = testRun(entries('a', 'b'));
    expect(await pass(made)).toEqual({ text: 'TEXT', interrupt: undefined });
    expect(made.run.getState()).toMatchObject({ states: { a: { sequence: 1 } }, violations: [violation] });
    expect(made.events).toMatchObject([{ stage: STAGE, entries: [{ entry: 'a' }, { entry: 'b' }] }]);
  });

  test('that one entry stops returns the states of the entries after it, within the bounds of a state', async () => {
    const kept = [{ count: 1 }, { text: 'x'.repeat(MAX_STATE_CHARS) }].map((state) => ({ type: 'continue', state }));
    await replica(['a'], (opening, answer) => whole(opening, answer, [{ type: 'abort', reason: 'no' }, ...kept]));
    const made = testRun(entries('a', 'b', 'c'));
    expect((await pass(made)).interrupt).toMatchObject({ form: 'tripwire' });
    expect(made.run.getState().states).toEqual({ b: { count: 1 } });
    const cancelled = { entry: 'c', verdict: 'cancelled', error: { code: 'state-too-large' } };
    expect(made.events).toMatchObject([{ entries: [{ entry: 'a' }, { entry: 'b' }, cancelled] }]);
  });

  test('is sent one by one if one entry of a list broke, because not all have seen the output', async () => {
    const { opens } = await replica(['a', 'b'], (opening, answer) =>
      whole(opening, answer, opening.entries.length > 1 ? [goOn, failure()] : [goOn]),
    );
    expect(await pass(testRun(entries('a', 'b')))).toEqual({ text: 'TEXT', interrupt: undefined });
    expect(opens).toEqual(['a+b', 'a', 'b']);
  });

  test('is retried if a processor broke, and fails the run if it breaks again', async () => {
    const { opens, bus } = await replica(['a'], (opening, answer) => whole(opening, answer, [failure()]));
    const made = testRun(entries('a'), { second: bus });
    expect((await pass(made)).interrupt).toMatchObject({
      form: 'error',
      error: { code: 'processor-failed' },
    });
    expect(opens).toEqual(['a', 'a']);
    expect(made.events).toMatchObject([{ entries: [{ attempts: 2 }] }]);
  });

  test('passes a skipped processor unchanged', async () => {
    await replica(['b'], (opening, answer) => whole(opening, answer, [goOn]));
    const list = entries('a', 'b').map((entry) =>
      entry.entry === 'a' ? { ...entry, onFailure: 'skip' as const } : entry,
    );
    const made = testRun(list, { merged: false });
    expect(await pass(made)).toEqual({ text: 'TEXT', interrupt: undefined });
    expect(made.events).toMatchObject([{ entries: [{ entry: 'a', skipped: true }, { entry: 'b' }] }]);
  });

  const finish = makeChunk(RUN_ID, {
    type: 'finish',
    payload: { stepResult: { reason: 'stop' }, output: {}, messages: [] },
  });
  const retract = makeChunk(RUN_ID, { type: 'retract', payload: { index: 0 } });
  test.each<[string, Chunk[], Chunk[]]>([
    ['a finish is missing', [finish], []],
    ['a finish did not go in', [delta('a')], [delta('a'), finish]],
    ['a control chunk is among them', [delta('a')], [retract]],
  ])('is refused by the orchestrator too: %s', async (_what, given, out) => {
    await replica(['a'], (_open, answer) => answer({ output: { chunks: out, verdicts: [goOn], ms: [1] } }));
    const { run } = testRun(entries('a'));
    const { interrupt } = await guardChunks(run, given);
    expect(interrupt).toMatchObject({ form: 'error', error: { code: 'processor-failed' } });
  });

  test('belongs to this run, whatever run and sender the replica puts into its chunks', async () => {
    const foreign = { ...delta('a'), runId: 'another-run', from: 'USER' as const };
    await replica(['a'], (_open, answer) => answer({ output: { chunks: [foreign], verdicts: [goOn], ms: [1] } }));
    const { chunks } = await guardChunks(testRun(entries('a')).run, [delta('a')]);
    expect(chunks).toEqual([delta('a')]);
  });

  test('returns no chunk if a processor stops the run', async () => {
    await replica(['a'], (opening, answer) => whole(opening, answer, [{ type: 'abort', reason: 'no' }]));
    expect((await pass(testRun(entries('a')))).interrupt).toMatchObject({ form: 'tripwire' });
  });
});
