// A step that is stopped while its sessions are open: processors that answer report their states and findings, and
// nothing else.
import {
  MAX_NESTING,
  MAX_STATE_CHARS,
  SESSION_LIMITS,
  sessionInputSchema,
  sessionOpenSchema,
  type ErrorCode,
  type JsonObject,
  type SessionInput,
  type SessionOpen,
  type SessionOutput,
} from '@millrace/contracts';
import { listen, publish } from '@millrace/bus';
import { eventually, useBus, useNats } from '@millrace/testkit';
import { describe, expect, onTestFinished, test } from 'vitest';
import { dataChunk, delta, makeText, textStart } from '../testing/chunks.ts';
import { useFragileSteps } from '../testing/fragile-steps.ts';
import { usePlayedSessions, words } from '../testing/session-replica.ts';
import { serveInTest } from '../testing/test-servings.ts';

const nats = useNats();
const connection = useBus(nats, 'orchestrator');
const { step, entry } = useFragileSteps(nats, connection);
const session = usePlayedSessions(connection);

/** A processor "scripted" with a replica that passes everything on and answers "tell" as the test defines. */
async function scriptProcessor(told: (batch: SessionInput) => Partial<SessionOutput> | undefined) {
  const { bus } = connection;
  const batches: SessionInput[] = [];
  const sessions: { stop(): void }[] = [];
  const handle = async ({ session: id, orchestrator }: SessionOpen) => {
    let [sequence, processed] = [0, 0];
    const listening = listen(bus, bus.subjects.session('scripts', 'r1', id), sessionInputSchema, (batch) => {
      batches.push(batch);
      processed += batch.chunks.length;
      const more = batch.tell ? told(batch) : { chunks: batch.chunks };
      const isSaid = more && !batch.drop;
      if (isSaid)
        publish(bus, bus.subjects.out(orchestrator, id), { session: id, sequence: sequence++, processed, ...more });
    });
    sessions.push(listening);
    return { opened: true, replica: 'r1', service: 'scripts', served: 1 };
  };
  const subject = bus.subjects.stage('processOutputStream', { service: 'guards', processor: 'scripted' });
  onTestFinished(() => sessions.forEach((listening) => listening.stop()));
  serveInTest(bus, { subject, request: sessionOpenSchema, handle });
  await bus.nc.flush();
  return batches;
}

const states: JsonObject = { seen: 2 };
const keeps = (): Partial<SessionOutput> => ({
  chunks: [delta('dropped')],
  verdicts: [{ type: 'continue', state: { seen: 2 }, violations: [{ processorId: 'x', message: 'found' }] }],
  ms: [3],
});

describe('when a processor stops the step, the others', () => {
  test('in sessions of their own return their states, and the event marks them as cancelled', async () => {
    // "other" is of another service: each has a session of its own.
    const { chain, chunks, push } = await step(entry('counter'), entry('other'), entry('aborts-at-data'));
    push(textStart(), delta('a'), delta('b'));
    // At the note that "counter" writes.
    await chain.stopped;
    expect(makeText(chunks)).toBe('');
    const { stopped, outcomes, states: kept } = await chain.end();
    expect(stopped).toMatchObject({ entry: { entry: 'aborts-at-data' }, verdict: { type: 'abort' } });
    expect(kept).toEqual({ counter: { count: expect.any(Number) } });
    expect(outcomes).toMatchObject([
      { entry: 'aborts-at-data', verdict: 'abort' },
      { entry: 'counter', verdict: 'cancelled' },
      { entry: 'other', verdict: 'cancelled' },
    ]);
  });

  test('return their violations too; chunks in that answer are dropped', async () => {
    const batches = await scriptProcessor(keeps);
    const { chain, chunks, push } = await step(entry('scripted'), entry('aborts-at-data'));
    push(delta('a'), dataChunk('note', 1));
    const { states: kept, violations, outcomes } = await chain.end();
    expect(kept).toEqual({ scripted: states });
    expect(violations).toEqual([{ processorId: 'scripted', message: 'found' }]);
    expect(outcomes[1]).toMatchObject({ verdict: 'cancelled', ms: 3, violations });
    expect(makeText(chunks)).toBe('a');
    expect(batches.filter(({ tell }) => tell)).toHaveLength(1);
  });

  test('that do not answer lose their state only: the event reports it, and the session is dropped', async () => {
    const batches = await scriptProcessor(() => undefined);
    const { chain, push } = await step(entry('scripted'), entry('counter'), entry('other'), entry('aborts-at-data'));
    push(delta('a'), dataChunk('note', 1));
    const { states: kept, outcomes } = await chain.end();
    expect(Object.keys(kept)).toEqual(['counter']);
    expect(outcomes.find((outcome) => outcome.entry === 'scripted')).toMatchObject({
      verdict: 'cancelled',
      error: { code: 'session-lost', message: expect.stringContaining(`within ${SESSION_LIMITS.verdictsMs} ms`) },
    });
    await eventually(() => batches.at(-1)?.drop === true);
  });

  const deep: JsonObject = Array.from({ length: MAX_NESTING }).reduce<JsonObject>((inner) => ({ inner }), {});
  test.each<[string, JsonObject, ErrorCode]>([
    ['too large', { kept: 'x'.repeat(MAX_STATE_CHARS) }, 'state-too-large'],
    ['nested too deep', deep, 'processor-verdict-refused'],
  ])('with a state that is %s keep their old state, because no record could hold it', async (_what, state, code) => {
    await scriptProcessor(() => ({ ...keeps(), verdicts: [{ type: 'continue', state }] }));
    const { chain, push } = await step(entry('scripted'), entry('aborts-at-data'));
    push(delta('a'), dataChunk('note', 1));
    const { states: kept, outcomes } = await chain.end();
    expect(kept).toEqual({});
    expect(outcomes[1]).toMatchObject({ entry: 'scripted', verdict: 'cancelled', error: { code } });
  });

  test('in the session of the one that stopped return theirs with its verdict', async () => {
    const { chain, push } = await step(entry('aborts-at-data'), entry('counter'));
    push(delta('a'), delta('b'), dataChunk('note', 1));
    const { states: kept, outcomes } = await chain.end();
    expect(kept).toMatchObject({ counter: { count: 3 } });
    expect(outcomes).toMatchObject([
      { entry: 'aborts-at-data', verdict: 'abort' },
      { entry: 'counter', verdict: 'cancelled' },
    ]);
  });
});

test('a step that is ended from outside returns the states of its processors once', async () => {
  const batches = await scriptProcessor(keeps);
  const { chain, push, shows, chunks } = await step(entry('scripted'));
  push(delta('a'));
  await shows('a');
  const [one, other] = await Promise.all([chain.requestVerdicts(), chain.requestVerdicts()]);
  expect(one).toMatchObject({ states: { scripted: states } });
  expect(other).toEqual(one);
  expect(one.stopped).toBeUndefined();
  push(delta('late'));
  expect(makeText(chunks)).toBe('a');
  expect(batches.filter(({ tell }) => tell)).toHaveLength(1);
});

test('a step of a run that continues elsewhere is not asked, because it is judged again there', async () => {
  const batches = await scriptProcessor(keeps);
  const { chain, push, shows, stop } = await step(entry('scripted'));
  push(delta('a'));
  await shows('a');
  stop('fenced');
  expect(await chain.requestVerdicts()).toMatchObject({ states: {}, violations: [], outcomes: [] });
  await eventually(() => batches.at(-1)?.drop === true);
  expect(batches.filter(({ tell }) => tell)).toEqual([]);
});

describe('a session that is asked for its state', () => {
  test('receives no more chunks, and needs neither its end nor all chunks processed', async () => {
    const made = await session();
    made.client.push(words(2));
    await eventually(() => made.received().length === 2);
    const telling = made.client.requestVerdicts();
    made.client.push(words(1));
    made.client.end();
    await eventually(() => made.inputs.some(({ tell }) => tell));
    made.send({ processed: 1, chunks: [delta('late')] });
    made.finish([{ type: 'continue', state: { a: 1 } }]);
    expect(await telling).toEqual({ verdicts: [{ type: 'continue', state: { a: 1 } }], ms: [1] });
    expect(made.received()).toHaveLength(2);
    expect(made.output).toEqual([]);
    expect(made.ends).toEqual([]);
  });

  const large = { kept: 'x'.repeat(SESSION_LIMITS.maxVerdictsBytes) };
  const wrong: [string, string, Partial<SessionOutput>][] = [
    ['more state than the limit', 'message-too-large', { verdicts: [{ type: 'continue', state: large }], ms: [1] }],
    [
      'more verdicts than entries',
      'processor-verdict-refused',
      { verdicts: [{ type: 'continue' }, { type: 'retry' }] },
    ],
    ['another number', 'session-lost', { sequence: 7, verdicts: [{ type: 'continue' }], ms: [1] }],
  ];
  test.each(wrong)('and answers %s has returned nothing', async (_what, code, said) => {
    const made = await session();
    made.client.push(words(1));
    await eventually(() => made.received().length === 1);
    const telling = made.client.requestVerdicts();
    made.send(said);
    expect(await telling).toMatchObject({ lost: { code } });
  });

  test('and was lost before has returned nothing', async () => {
    const made = await session();
    made.send({ sequence: 7 });
    await eventually(() => made.ends.length === 1);
    expect(await made.client.requestVerdicts()).toMatchObject({ lost: { code: 'session-lost' } });
  });
});
