// A step with several candidates: which one answers, what its failure causes, and what the run records.
import { useBus, useNats } from '@millrace/testkit';
import { describe, expect, test } from 'vitest';
import type { Chunk } from '@millrace/contracts';
import { makeText } from '../testing/chunks.ts';
import { useOpenSteps } from '../testing/open-steps.ts';
import { listShown } from '../testing/shown-chunks.ts';
import { scriptModels } from '../testing/scripted-model.ts';

const nats = useNats();
const connection = useBus(nats, 'orchestrator');
const openStep = useOpenSteps(connection);

const [FIRST, SECOND] = ['openai/first', 'openai/second'];
const refuse = (statusCode: number, responseBody = '') =>
  Object.assign(new Error(`status ${statusCode}`), {
    name: 'AI_APICallError',
    [Symbol.for('vercel.ai.error')]: true,
    [Symbol.for('vercel.ai.error.AI_APICallError')]: true,
    statusCode,
    responseBody,
    isRetryable: statusCode >= 500,
  });

/** The text after all retracts. */
const readShown = (chunks: readonly Chunk[]): string =>
  makeText(listShown([{ epoch: 1, index: 0, chunks: [...chunks] }]));

const openWith = async (scripts: Parameters<typeof scriptModels>[0], agent: object = {}, judges = {}) => {
  const { models, asked, calls } = scriptModels(scripts);
  const made = await openStep([], judges, { agent: { model: [FIRST, SECOND], ...agent }, models });
  return { ...made, asked, calls };
};

describe('a failover', () => {
  test('A candidate that the provider refuses is left at once, and the answer names the model that gave it', async () => {
    const made = await openWith({ [FIRST]: [{ error: refuse(401) }], [SECOND]: [{ text: 'Hello.' }] });
    expect(await made.answer()).toBeUndefined();
    expect(made.asked).toEqual([FIRST, SECOND]);
    expect(made.run.getState().open?.answer).toMatchObject({ text: 'Hello.', model: SECOND });
    expect(made.events.filter(({ event }) => event === 'model')).toMatchObject([
      { model: FIRST, cause: 'unauthorized', call: 1 },
      { model: SECOND, call: 2, finishReason: 'stop' },
    ]);
    expect(made.logged).toContain('the provider refuses the key');
  });

  test('The text of a candidate that breaks off is retracted, and the next one begins a text of its own', async () => {
    const gone = {
      text: 'Half of an ans',
      breaksOff: { type: 'invalid_request_error', code: 402, message: 'no credit' },
    };
    const made = await openWith({ [FIRST]: [gone], [SECOND]: [{ text: 'The whole answer.' }] });
    await made.answer();
    expect(readShown(made.published)).toBe('The whole answer.');
    expect(made.published.filter(({ type }) => type === 'retract')).toHaveLength(1);
  });

  test('A candidate with errors of the server gets its attempts before the next one', async () => {
    const made = await openWith(
      { [FIRST]: [{ error: refuse(503) }], [SECOND]: [{ text: 'Hello.' }] },
      { model: [{ use: FIRST, maxAttempts: 2 }, SECOND] },
    );
    await made.answer();
    expect(made.asked).toEqual([FIRST, FIRST, SECOND]);
  });

  test('A candidate without a token in its time is asked once', async () => {
    const made = await openWith(
      { [FIRST]: [{ until: new Promise(() => {}) }], [SECOND]: [{ text: 'Hello.' }] },
      { model: [{ use: FIRST, firstTokenMs: 100 }, SECOND] },
    );
    await made.answer();
    expect(made.asked).toEqual([FIRST, SECOND]);
    expect(made.events[0]).toMatchObject({
      cause: 'silent',
      error: { message: 'The model sent no token for 100 ms.' },
    });
  });

  test('A candidate that falls silent in its text is left after its idle time', async () => {
    const made = await openWith(
      { [FIRST]: [{ text: 'Half', until: new Promise(() => {}) }], [SECOND]: [{ text: 'Hello.' }] },
      { model: [{ use: FIRST, idleMs: 100 }, SECOND] },
    );
    await made.answer();
    expect(readShown(made.published)).toBe('Hello.');
    expect(made.events[0]).toMatchObject({ error: { message: 'The model sent nothing for 100 ms.' } });
  });

  test('Settings of a candidate replace those of the agent for its calls alone', async () => {
    const made = await openWith(
      { [FIRST]: [{ error: refuse(403) }], [SECOND]: [{ text: 'Hello.' }] },
      { model: [{ use: FIRST, settings: { temperature: 1 } }, SECOND], modelSettings: { temperature: 0.2, topP: 0.5 } },
    );
    await made.answer();
    expect(made.calls.map(({ temperature, topP }) => [temperature, topP])).toEqual([
      [1, 0.5],
      [0.2, 0.5],
    ]);
  });

  test('An invalid request ends the run with the reason of the provider', async () => {
    const made = await openWith({ [FIRST]: [{ error: refuse(400) }], [SECOND]: [{ text: 'Hello.' }] });
    expect(await made.answer()).toMatchObject({
      error: { code: 'model-call-failed', message: `${FIRST}: status 400 (400)` },
    });
    expect(made.asked).toEqual([FIRST]);
  });

  test('A refusal of the content ends the run, unless the agent continues with the next candidate', async () => {
    const scripts = {
      [FIRST]: [{ error: refuse(400, '{"error":{"code":"content_filter"}}') }],
      [SECOND]: [{ text: 'Hello.' }],
    };
    const ended = await openWith(scripts);
    expect(await ended.answer()).toMatchObject({ error: { code: 'model-call-failed' } });
    const continued = await openWith(scripts, { failover: { onRefusal: true } });
    expect(await continued.answer()).toBeUndefined();
  });

  test('If every candidate fails, the error names each with its failure, after processAPIError was asked', async () => {
    const seen: unknown[] = [];
    const made = await openWith(
      { [FIRST]: [{ error: refuse(401) }], [SECOND]: [{ error: refuse(402) }] },
      {},
      { processAPIError: ({ error }: { error?: unknown }) => (seen.push(error), { type: 'continue' }) },
    );
    expect(await made.answer()).toMatchObject({
      error: {
        code: 'models-unavailable',
        message: `${FIRST}: status 401 (401); ${SECOND}: status 402 (402)`,
      },
    });
    expect(seen).toMatchObject([{ statusCode: 402 }]);
  });

  test('A model that a processor chooses is the only candidate', async () => {
    const made = await openWith(
      { 'openai/other': [{ error: refuse(401) }], [FIRST]: [{ text: 'Hello.' }], [SECOND]: [{ text: 'Hello.' }] },
      {},
      { processInputStep: () => ({ type: 'continue', changes: { model: 'openai/other' } }) },
    );
    expect(await made.answer()).toMatchObject({ error: { message: 'openai/other: status 401 (401)' } });
    expect(made.asked).toEqual(['openai/other']);
  });

  test('The next owner of the run continues with the candidate that the lost one would have asked', async () => {
    const lost = await openWith({ [FIRST]: [{ error: refuse(401) }], [SECOND]: [{ until: new Promise(() => {}) }] });
    const answering = lost.answer();
    await expect.poll(() => lost.asked).toEqual([FIRST, SECOND]);
    expect(lost.records.flat()).toContainEqual({
      action: 'model-failed',
      failure: { candidate: 0, cause: 'unauthorized' },
    });
    lost.stop('leaving');
    await answering;
    const { models, asked } = scriptModels({ [FIRST]: [{ text: 'First.' }], [SECOND]: [{ text: 'Second.' }] });
    const next = await openStep([], {}, { from: lost.run.getState(), models });
    await next.answer();
    expect(asked).toEqual([SECOND]);
    expect(next.run.getState().open?.answer).toMatchObject({ text: 'Second.', model: SECOND });
  });
});
