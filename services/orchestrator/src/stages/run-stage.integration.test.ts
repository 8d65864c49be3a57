// One stage of a run: the effect of its verdicts, repeated calls, and the order of states and custom chunks.
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
import { dataChunk, listTypes } from '../testing/chunks.ts';
import { planEntry } from '../testing/plan-entries.ts';
import { goOn, scriptReplica, type Script } from '../testing/scripted-replica.ts';
import { createTestRun } from '../testing/test-run.ts';
import { fail, type Interrupt } from '../state/interrupt.ts';
import { runStage } from './run-stage.ts';
import { readMaxRetries, stopOutcome } from '../calls/stop-outcome.ts';

const nats = useNats();
const connection = useBus(nats, 'orchestrator');

type Options = { stage?: Stage; merged?: boolean; retries?: number; more?: Partial<PlanEntry> };
/** Entries of one service at a stage, answered by the script. */
async function runStaged(names: string[], script: Script, options: Options = {}) {
  const { stage = 'processInput', merged = true, retries, more = {} } = options;
  const replica = scriptReplica(connection.bus, stage, names, script);
  const entries = names.map((name) => planEntry(name, { stages: [stage], timeoutMs: 500, attempts: 1, ...more }));
  const agent = retries === undefined ? {} : { maxProcessorRetries: retries };
  const made = createTestRun({ bus: connection.bus, entries, agent, discovery: { isServedTogether: () => merged } });
  await connection.bus.nc.flush();
  const sunk: Chunk[] = [];
  let answer: Interrupt | undefined;
  const sink = async (chunks: Chunk[]) => {
    sunk.push(...chunks);
    return answer;
  };
  const { conversation, retryCount } = made.run.getState();
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

const readCode = (code: string) => errorCodeSchema.parse(code);

describe('a stage concurrent with a checkpoint', () => {
  test('calls no processor before the checkpoint is written', async () => {
    const made = await runStaged(['a'], byEntry({}));
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

  test('calls no processor if the checkpoint finds a cancel', async () => {
    const made = await runStaged(['a'], byEntry({}));
    made.askCancel();
    made.run.beginCheckpoint();
    expect(await made.ask()).toMatchObject({ interrupt: { form: 'cancel' } });
    expect(made.calls).toEqual([]);
  });
});

describe('verdicts of a stage', () => {
  test.each<[Verdict, object]>([
    [goOn, { input: {} }],
    [{ type: 'abort', reason: 'no' }, { interrupt: { form: 'tripwire', tripwire: { reason: 'no' } } }],
    [
      { type: 'halt', response: 'text', reason: 'why' },
      { interrupt: { form: 'halt', response: 'text', reason: 'why', answered: false } },
    ],
    [
      { type: 'failure', code: 'processor-failed', message: 'broken', retryable: true },
      {
        interrupt: {
          form: 'error',
          error: { path: 'processInput/b', remedy: expect.stringContaining('skip') },
        },
      },
    ],
  ])('%j of one of three stops the stage, and the later ones are not called', async (verdict, meaning) => {
    const { ask, calls, events } = await runStaged(['a', 'b', 'c'], byEntry({ b: verdict }), { merged: false });
    expect(await ask()).toMatchObject(meaning);
    expect(calls).toEqual(verdict.type === 'continue' ? ['a', 'b', 'c'] : ['a', 'b']);
    expect(events).toMatchObject([
      { event: 'stage', stage: 'processInput', entries: calls.map((entry) => ({ entry })) },
    ]);
  });

  test('that only the stage’s statement can handle are passed to it', async () => {
    const deny: Verdict = { type: 'deny', reason: 'no' };
    const { ask } = await runStaged(['a'], byEntry({ a: deny }), { stage: 'processToolCall' });
    expect(await ask()).toMatchObject({ stopped: { verdict: deny, entry: { entry: 'a' } } });
  });

  test('of a stage without entries are none: no call, no event', async () => {
    const { ask, events } = await runStaged([], () => []);
    expect((await ask()).interrupt).toBeUndefined();
    expect(events).toEqual([]);
  });
});

describe('a processor’s failure', () => {
  const broken: Verdict = { type: 'failure', code: 'processor-failed', message: 'broken', retryable: false };

  test('that is skipped lets the entries after it run', async () => {
    const { ask, calls, events } = await runStaged(['a', 'b', 'c'], byEntry({ b: broken }), {
      more: { onFailure: 'skip' },
    });
    expect((await ask()).interrupt).toBeUndefined();
    expect(calls).toEqual(['a+b+c', 'c']);
    expect(events).toMatchObject([{ entries: [{ entry: 'a' }, { entry: 'b', skipped: true }, { entry: 'c' }] }]);
  });

  test('by an invalid change calls the entries after it again', async () => {
    // A change that the stage does not allow: the replica applied it, the run must not.
    const wrong: Verdict = { type: 'continue', changes: { model: 'openai/other' } };
    const { ask, calls } = await runStaged(['a', 'b'], byEntry({ a: wrong }), { more: { onFailure: 'skip' } });
    const { input, interrupt } = await ask();
    expect(interrupt).toBeUndefined();
    expect(input).not.toHaveProperty('model');
    expect(calls).toEqual(['a+b', 'b']);
  });

  test('stops at the first of a list, whatever the replica returned for the others', async () => {
    const wrong: Verdict = { type: 'continue', changes: { model: 'openai/other' } };
    const { ask } = await runStaged(['a', 'b'], byEntry({ a: wrong, b: { type: 'abort', reason: 'later' } }));
    expect(await ask()).toMatchObject({ interrupt: { form: 'error', error: { path: 'processInput/a' } } });
  });
});

describe('abort with retry', () => {
  const again: Verdict = { type: 'abort', reason: 'once more', retry: true };

  test('rewinds to the input before the input has passed, and to the step afterwards', async () => {
    const { ask } = await runStaged(['a'], byEntry({ a: again }), { retries: 1 });
    expect((await ask()).interrupt).toEqual({ form: 'rewind', to: 'input', feedback: 'once more' });
    const later = await runStaged(['a'], byEntry({ a: again }), { retries: 1, stage: 'processInputStep' });
    later.run.dispatch({ action: 'input-passed' });
    expect((await later.ask()).interrupt).toEqual({ form: 'rewind', to: 'step', feedback: 'once more' });
  });

  test('is an abort if retries are used up or were never configured', async () => {
    const used = await runStaged(['a'], byEntry({ a: again }), { retries: 1 });
    used.run.dispatch({ action: 'rewound', to: 'input', feedback: 'before' });
    for (const { ask } of [used, await runStaged(['a'], byEntry({ a: again }))]) {
      expect((await ask()).interrupt).toMatchObject({ form: 'tripwire', tripwire: { retry: true } });
    }
  });

  test('has ten retries if the agent has error processors and configures none', () => {
    const entries = [planEntry('rescuer', { stages: ['processAPIError'] })];
    expect(readMaxRetries(createTestRun({ entries }).run)).toBe(10);
    expect(readMaxRetries(createTestRun({ entries, agent: { maxProcessorRetries: 2 } }).run)).toBe(2);
    expect(readMaxRetries(createTestRun().run)).toBe(0);
  });
});

describe('the chunks that a stage rejects', () => {
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
    const { ask, run } = await runStaged(['a'], abort, { stage });
    run.dispatch({ action: 'step-opened', firstIndex: 5 });
    expect((await ask()).interrupt).toMatchObject({ form: 'tripwire', rejected });
  });
});

describe('custom chunks of a stage', () => {
  const talking = byEntry({ a: { ...goOn, data: [dataChunk('a')] }, b: { ...goOn, data: [dataChunk('b')] } });

  test('are published in the order of the entries', async () => {
    const { ask, sunk } = await runStaged(['a', 'b'], talking, { merged: false });
    await ask();
    expect(listTypes(sunk)).toEqual(['data-a', 'data-b']);
  });

  test('that the output stream stops stop the run, and no later entry is called', async () => {
    const { ask, sinkAnswers, calls } = await runStaged(['a', 'b'], talking, { merged: false });
    const stopped = fail({ code: 'internal', message: 'stopped' });
    sinkAnswers(stopped);
    expect((await ask()).interrupt).toBe(stopped);
    expect(calls).toEqual(['a']);
  });

  test('that the output stream stops do not replace the reason for which the stage stopped', async () => {
    const abort: Verdict = { type: 'abort', reason: 'first', data: [dataChunk('a')] };
    const { ask, sinkAnswers } = await runStaged(['a'], byEntry({ a: abort }));
    sinkAnswers(fail({ code: 'internal', message: 'later' }));
    expect((await ask()).interrupt).toMatchObject({ form: 'tripwire' });
  });

  test('pass the state that their entry returned', async () => {
    const verdict: Verdict = { ...goOn, state: { n: 1 }, data: [dataChunk('a')] };
    const made = await runStaged(['a', 'b'], byEntry({ a: verdict }), { merged: false });
    const states: unknown[] = [];
    const sink = async () => {
      states.push(made.run.getState().states);
      // The state of a chunk's pass is not overwritten by the stage's older one.
      made.run.dispatch({ action: 'states-changed', states: { a: { n: 2 } } });
      return undefined;
    };
    await runStage(made.run, 'processInput', { retryCount: 0, stepNumber: 0 }, { sink });
    expect(states).toEqual([{ a: { n: 1 } }]);
    expect(made.run.getState().states).toEqual({ a: { n: 2 } });
  });
});

test('a run that is stopped from outside during a stage is stopped, whatever the stage returns', async () => {
  const gate = Promise.withResolvers<void>();
  const { ask, stop, calls } = await runStaged(['a'], async () => {
    stop('cancelled');
    await gate.promise;
    return [{ type: 'abort', reason: 'too late' }];
  });
  expect((await ask()).interrupt).toMatchObject({ form: 'cancel' });
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
])('a run that fails with %s has a remedy', (code, remedy) => {
  const { run } = createTestRun();
  const failure = { type: 'failure' as const, code: readCode(code), message: 'broken', retryable: false };
  const outcome = stopOutcome(run, 'processInput', { entry: planEntry('a'), verdict: failure });
  expect(outcome).toMatchObject({ error: { remedy: expect.stringMatching(remedy) } });
});
