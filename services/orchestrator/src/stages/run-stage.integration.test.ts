// One stage of a run: what its verdicts mean, who is asked again, and in which order state and custom chunks come back.
import {
  errorCodeSchema,
  type Chunk,
  type PlanEntry,
  type Stage,
  type StageInput,
  type Verdict,
} from '@millrace/contracts';
import { useBus, useNats } from '@millrace/testkit';
import { describe, expect, test } from 'vitest';
import { dataChunk, typesOf } from '../testing/chunks.ts';
import { planEntry } from '../testing/plan-entries.ts';
import { goOn, scriptReplica, type Script } from '../testing/scripted-replica.ts';
import { useOpened } from '../testing/opened.ts';
import { createTestRun } from '../testing/test-run.ts';
import { fail, type Interrupt } from '../state/interrupt.ts';
import { runStage } from './run-stage.ts';
import { maxRetries, stopOutcome } from './stop-outcome.ts';

const nats = useNats();
const connection = useBus(nats, 'orchestrator');
const { replicas, runs } = useOpened();

type Options = { stage?: Stage; merged?: boolean; retries?: number; more?: Partial<PlanEntry> };
/** Entries of one service at a stage, answered by the script. */
async function staged(names: string[], script: Script, options: Options = {}) {
  const { stage = 'processInput', merged = true, retries, more = {} } = options;
  const replica = scriptReplica(connection.bus, stage, names, script);
  replicas.push(replica);
  const entries = names.map((name) => planEntry(name, { stages: [stage], timeoutMs: 500, attempts: 1, ...more }));
  const agent = retries === undefined ? {} : { maxProcessorRetries: retries };
  const made = createTestRun({ bus: connection.bus, entries, agent, discovery: { together: () => merged } });
  runs.push(made);
  await connection.bus.nc.flush();
  const sunk: Chunk[] = [];
  let answer: Interrupt | undefined;
  const sink = async (chunks: Chunk[]) => {
    sunk.push(...chunks);
    return answer;
  };
  const { conversation, retryCount } = made.run.state();
  const input: StageInput = { retryCount, stepNumber: 0, conversation };
  return {
    ...made,
    calls: replica.calls,
    sunk,
    sinkAnswers: (interrupt: Interrupt) => void (answer = interrupt),
    ask: () => runStage(made.run, stage, input, { sink }),
  };
}
const byEntry =
  (verdicts: Record<string, Verdict>): Script =>
  ({ entries }) => {
    const given = entries.map(({ entry }) => verdicts[entry] ?? goOn);
    const stop = given.findIndex(({ type }) => type !== 'continue');
    return stop < 0 ? given : given.slice(0, stop + 1);
  };

const codeOf = (code: string) => errorCodeSchema.parse(code);

describe('a stage beside a checkpoint', () => {
  test('asks nobody before it is written', async () => {
    const made = await staged(['a'], byEntry({}));
    const gate = Promise.withResolvers<void>();
    made.onRecord(() => gate.promise);
    made.run.beginCheckpoint();
    const asked = made.ask();
    await connection.bus.nc.flush();
    expect(made.calls).toEqual([]);
    gate.resolve();
    expect((await asked).interrupt).toBeUndefined();
    expect(made.calls).toHaveLength(1);
  });

  test('asks nobody where it finds that the run was cancelled', async () => {
    const made = await staged(['a'], byEntry({}));
    made.askCancel();
    made.run.beginCheckpoint();
    expect(await made.ask()).toMatchObject({ interrupt: { ending: { form: 'cancel' } } });
    expect(made.calls).toEqual([]);
  });
});

describe('verdicts of a stage', () => {
  test.each<[Verdict, object]>([
    [goOn, { input: {} }],
    [{ type: 'abort', reason: 'no' }, { interrupt: { ending: { form: 'tripwire', tripwire: { reason: 'no' } } } }],
    [
      { type: 'halt', response: 'text', reason: 'why' },
      { interrupt: { ending: { form: 'halt', response: 'text', reason: 'why', answered: false } } },
    ],
    [
      { type: 'failure', code: 'processor-failed', message: 'broken', retryable: true },
      {
        interrupt: {
          ending: { form: 'error', error: { path: 'processInput/b', remedy: expect.stringContaining('skip') } },
        },
      },
    ],
  ])('%j of one of three means that for the stage, and the later ones are not asked', async (verdict, meaning) => {
    const { ask, calls, events } = await staged(['a', 'b', 'c'], byEntry({ b: verdict }), { merged: false });
    expect(await ask()).toMatchObject(meaning);
    expect(calls).toEqual(verdict.type === 'continue' ? ['a', 'b', 'c'] : ['a', 'b']);
    expect(events).toMatchObject([
      { event: 'stage', stage: 'processInput', entries: calls.map((entry) => ({ entry })) },
    ]);
  });

  test('that only the stage’s statement can act on are handed to it', async () => {
    const deny: Verdict = { type: 'deny', reason: 'no' };
    const { ask } = await staged(['a'], byEntry({ a: deny }), { stage: 'processToolCall' });
    expect(await ask()).toMatchObject({ answer: deny, by: { entry: 'a' } });
  });

  test('of a stage without entries are none: nobody is asked, nothing is recorded', async () => {
    const { ask, events } = await staged([], () => []);
    expect((await ask()).interrupt).toBeUndefined();
    expect(events).toEqual([]);
  });
});

describe('a processor’s failure', () => {
  const broken: Verdict = { type: 'failure', code: 'processor-failed', message: 'broken', retryable: false };

  test('that is skipped lets those after it be asked', async () => {
    const { ask, calls, events } = await staged(['a', 'b', 'c'], byEntry({ b: broken }), {
      more: { onFailure: 'skip' },
    });
    expect((await ask()).interrupt).toBeUndefined();
    expect(calls).toEqual(['a+b+c', 'c']);
    expect(events).toMatchObject([{ entries: [{ entry: 'a' }, { entry: 'b', skipped: true }, { entry: 'c' }] }]);
  });

  test('that is what was changed, not what was said, has those after it asked again', async () => {
    // A change that the stage may not make: the replica went on with it, the run must not.
    const wrong: Verdict = { type: 'continue', changes: { model: 'openai/other' } };
    const { ask, calls } = await staged(['a', 'b'], byEntry({ a: wrong }), { more: { onFailure: 'skip' } });
    const { input, interrupt } = await ask();
    expect(interrupt).toBeUndefined();
    expect(input).not.toHaveProperty('model');
    expect(calls).toEqual(['a+b', 'b']);
  });

  test('stops at the first of a list, whatever the replica says of the others', async () => {
    const wrong: Verdict = { type: 'continue', changes: { model: 'openai/other' } };
    const { ask } = await staged(['a', 'b'], byEntry({ a: wrong, b: { type: 'abort', reason: 'later' } }));
    expect(await ask()).toMatchObject({ interrupt: { ending: { form: 'error', error: { path: 'processInput/a' } } } });
  });
});

describe('abort with retry', () => {
  const again: Verdict = { type: 'abort', reason: 'once more', retry: true };

  test('goes back to the input while the input has not passed, to the step after that', async () => {
    const { ask } = await staged(['a'], byEntry({ a: again }), { retries: 1 });
    expect((await ask()).interrupt).toEqual({ kind: 'rewind', to: 'input', feedback: 'once more' });
    const later = await staged(['a'], byEntry({ a: again }), { retries: 1, stage: 'processInputStep' });
    later.run.dispatch({ action: 'input-passed' });
    expect((await later.ask()).interrupt).toEqual({ kind: 'rewind', to: 'step', feedback: 'once more' });
  });

  test('is an abort when retries are used up, or were never set', async () => {
    const used = await staged(['a'], byEntry({ a: again }), { retries: 1 });
    used.run.dispatch({ action: 'rewound', to: 'input', feedback: 'before' });
    for (const { ask } of [used, await staged(['a'], byEntry({ a: again }))]) {
      expect((await ask()).interrupt).toMatchObject({ ending: { form: 'tripwire', tripwire: { retry: true } } });
    }
  });

  test('has ten tries where the agent has error processors and says nothing', () => {
    const entries = [planEntry('rescuer', { stages: ['processAPIError'] })];
    expect(maxRetries(createTestRun({ entries }).run)).toBe(10);
    expect(maxRetries(createTestRun({ entries, agent: { maxProcessorRetries: 2 } }).run)).toBe(2);
    expect(maxRetries(createTestRun().run)).toBe(0);
  });
});

describe('what a stage rejects', () => {
  const abort = byEntry({ a: { type: 'abort', reason: 'no' } });
  test.each<[Stage, object | undefined]>([
    ['processInput', undefined],
    ['processInputStep', undefined],
    ['processLLMRequest', undefined],
    ['processLLMResponse', { what: 'step', from: 5 }],
    ['processOutputStep', { what: 'step', from: 5 }],
    ['processToolCall', { what: 'step', from: 5 }],
    ['processToolResult', { what: 'step', from: 5 }],
    ['processOutputResult', { what: 'run', from: 1 }],
  ])('%s: %j', async (stage, rejected) => {
    const { ask, run } = await staged(['a'], abort, { stage });
    run.dispatch({ action: 'step-opened', firstIndex: 5 });
    expect((await ask()).interrupt).toMatchObject({ ending: { form: 'tripwire', rejected } });
  });
});

describe('custom chunks of a stage', () => {
  const talking = byEntry({ a: { ...goOn, data: [dataChunk('a')] }, b: { ...goOn, data: [dataChunk('b')] } });

  test('go out in the order of the entries', async () => {
    const { ask, sunk } = await staged(['a', 'b'], talking, { merged: false });
    await ask();
    expect(typesOf(sunk)).toEqual(['data-a', 'data-b']);
  });

  test('that the output stream stops stop the run, and nobody is asked after them', async () => {
    const { ask, sinkAnswers, calls } = await staged(['a', 'b'], talking, { merged: false });
    const stopped = fail({ code: 'internal', message: 'stopped' });
    sinkAnswers(stopped);
    expect((await ask()).interrupt).toBe(stopped);
    expect(calls).toEqual(['a']);
  });

  test('that the output stream stops do not undo what stopped the stage', async () => {
    const abort: Verdict = { type: 'abort', reason: 'first', data: [dataChunk('a')] };
    const { ask, sinkAnswers } = await staged(['a'], byEntry({ a: abort }));
    sinkAnswers(fail({ code: 'internal', message: 'later' }));
    expect((await ask()).interrupt).toMatchObject({ ending: { form: 'tripwire' } });
  });

  test('find the state that their entry came back with', async () => {
    const verdict: Verdict = { ...goOn, state: { n: 1 }, data: [dataChunk('a')] };
    const made = await staged(['a', 'b'], byEntry({ a: verdict }), { merged: false });
    const states: unknown[] = [];
    const sink = async () => {
      states.push(made.run.state().states);
      // What a chunk leaves behind on its way is not overwritten by what the stage knew.
      made.run.dispatch({ action: 'states-changed', states: { a: { n: 2 } } });
      return undefined;
    };
    await runStage(made.run, 'processInput', { retryCount: 0, stepNumber: 0 }, { sink });
    expect(states).toEqual([{ a: { n: 1 } }]);
    expect(made.run.state().states).toEqual({ a: { n: 2 } });
  });
});

test('a run that is stopped from outside in the middle of a stage is stopped, whatever the stage says', async () => {
  const gate = Promise.withResolvers<void>();
  const { ask, stop, calls } = await staged(['a'], async () => {
    stop('cancelled');
    await gate.promise;
    return [{ type: 'abort', reason: 'too late' }];
  });
  expect((await ask()).interrupt).toMatchObject({ ending: { form: 'cancel' } });
  expect(calls).toEqual(['a']);
  gate.resolve();
});

test.each<[string, RegExp]>([
  ['processor-not-there', /^Start a replica of guards/],
  ['processor-timeout', /^Raise timeoutMs of "a"/],
  ['options-invalid', /^Correct the options of "a"/],
  ['processor-verdict-refused', /^Correct a:/],
  ['session-lost', /^Submit the request again/],
  ['processor-failed', /^Read the reason with "millrace runs events run-\S+ --detail"/],
])('a run that fails with %s says what can be done about that', (code, remedy) => {
  const { run } = createTestRun();
  const failure = { type: 'failure' as const, code: codeOf(code), message: 'broken', retryable: false };
  const outcome = stopOutcome(run, 'processInput', { entry: planEntry('a'), verdict: failure });
  expect(outcome).toMatchObject({ ending: { error: { remedy: expect.stringMatching(remedy) } } });
});
