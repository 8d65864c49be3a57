// A step with a failing model: retries, retracted chunks, the end of the run.
import { createModels } from '@millrace/models';
import { sseEvents, startByteProvider } from '@millrace/models/testing';
import { useBus, useNats } from '@millrace/testkit';
import { describe, expect, test } from 'vitest';
import { dataChunk, makeText, listTypes } from '../testing/chunks.ts';
import { useOpenSteps } from '../testing/open-steps.ts';
import { goOn } from '../testing/scripted-replica.ts';

const nats = useNats();
const connection = useBus(nats, 'orchestrator');
const openStep = useOpenSteps(connection);

describe('a model that fails', () => {
  const busy = Object.assign(new TypeError('fetch failed'));
  const refused = new Error('too long');

  test('is retried twice if a retry may help, and its text so far is retracted', async () => {
    const made = await openStep([
      { text: 'Hel', breaksOff: { type: 'server_error', message: 'gone' } },
      { text: 'Hello.' },
    ]);
    await made.answer();
    expect(made.asked.map(({ headers }) => headers?.['X-Client-Request-Id'])).toEqual(['run-1.1', 'run-1.2']);
    expect(made.published.filter(({ type }) => type === 'retract')).toMatchObject([{ payload: { index: 0 } }]);
    expect(made.run.getState().open?.answer?.text).toBe('Hello.');
  });

  test('has only its own text retracted: custom chunks of stages that do not run again stay', async () => {
    const made = await openStep(
      [{ text: 'Hel', breaksOff: { type: 'server_error', message: 'gone' } }, { text: 'Hello.' }],
      {
        processInputStep: () => ({ type: 'continue', data: [dataChunk('found')] }),
      },
    );
    await made.answer();
    expect(listTypes(made.published)[0]).toBe('data-found');
    expect(made.published.filter(({ type }) => type === 'retract')).toMatchObject([{ payload: { index: 1 } }]);
  });

  test('is not retried beyond the run’s deadline', async () => {
    const limited = Object.assign(new Error('slow down'), {
      [Symbol.for('vercel.ai.error')]: true,
      [Symbol.for('vercel.ai.error.AI_APICallError')]: true,
      statusCode: 429,
      isRetryable: true,
      responseHeaders: { 'retry-after': '30' },
    });
    const made = await openStep([{ error: limited }], {}, { deadlineMs: 20_000 });
    expect(await made.answer()).toMatchObject({ error: { code: 'model-call-failed' } });
    expect(made.asked).toHaveLength(1);
  });

  test('is asked three times at most, and then the run fails with its message', async () => {
    const made = await openStep([{ error: busy }]);
    expect(await made.answer()).toMatchObject({
      form: 'error',
      error: { code: 'model-call-failed', message: 'openai/test: fetch failed' },
    });
    expect(made.asked).toHaveLength(3);
    expect(made.events.filter(({ event }) => event === 'model')).toHaveLength(3);
  }, 10_000);

  test('is asked again by processAPIError while retries are left, each counted in every stage', async () => {
    const counts: Record<string, number[]> = { processInputStep: [], processAPIError: [] };
    const made = await openStep(
      [{ error: refused }],
      {
        processInputStep: ({ retryCount }) => (counts['processInputStep']?.push(retryCount), goOn),
        processAPIError: ({ retryCount }) => (counts['processAPIError']?.push(retryCount), { type: 'retry' }),
      },
      { agent: { maxProcessorRetries: 2 } },
    );
    expect(await made.answer()).toMatchObject({ form: 'error', error: { code: 'model-call-failed' } });
    expect(made.asked).toHaveLength(3);
    expect(counts).toEqual({ processInputStep: [0, 1, 2], processAPIError: [0, 1, 2] });
    expect(made.published.filter(({ type }) => type === 'retract')).toHaveLength(3);
  });

  test('is not asked again if other retries have used up the count', async () => {
    const made = await openStep(
      [{ error: refused }],
      { processAPIError: () => ({ type: 'retry' }) },
      { agent: { maxProcessorRetries: 1 } },
    );
    made.run.dispatch({ action: 'rewound', to: 'step', feedback: 'Too rude.' });
    made.run.dispatch({ action: 'step-opened', firstIndex: 0 });
    await made.answer();
    expect(made.asked).toHaveLength(1);
  });

  test('is not asked again by a stage that rejects its answer if processAPIError has used up the count', async () => {
    const made = await openStep(
      [{ error: refused }, { text: 'Rude.' }],
      {
        processAPIError: () => ({ type: 'retry' }),
        processLLMResponse: () => ({ type: 'abort', reason: 'Too rude.', retry: true }),
      },
      { agent: { maxProcessorRetries: 1 } },
    );
    expect(await made.answer()).toMatchObject({ form: 'tripwire', tripwire: { reason: 'Too rude.' } });
    expect(made.asked).toHaveLength(2);
  });

  test('can be replaced by another one for the step, and the run’s state names that one', async () => {
    const made = await openStep([{ error: refused }, { text: 'Hello.' }], {
      processAPIError: () => ({ type: 'retry', model: 'openai/other' }),
    });
    await made.answer();
    expect(made.run.getState()).toMatchObject({ retryCount: 1, open: { model: 'openai/other' } });
    expect(made.run.getState().open?.answer?.model).toBe('openai/other');
  });

  test('can be asked again with other messages', async () => {
    const made = await openStep([{ error: refused }, { text: 'short' }], {
      processAPIError: () => ({
        type: 'retry',
        changes: { ops: [{ op: 'system', tag: 'less', contents: ['Say less.'] }] },
      }),
    });
    await made.answer();
    expect(JSON.stringify(made.asked[1]?.prompt)).toContain('Say less.');
    expect(makeText(made.published)).toBe('short');
  });
});

describe('a provider that ends its stream early without an error', () => {
  test('is asked again, and the run ends with the complete answer alone', async () => {
    const provider = await startByteProvider();
    const events = (...choices: object[]) => sseEvents(...choices.map((choice) => ({ id: 'c', choices: [choice] })));
    const half = events({ index: 0, delta: { content: 'The dose is 5' } });
    const whole = events({ index: 0, delta: { content: 'The dose is 5 mg.' } }, { index: 0, finish_reason: 'stop' });
    const html = { headers: { 'content-type': 'text/html' }, pieces: ['<html>Maintenance</html>'] };
    provider.answer(html, { pieces: half }, { pieces: whole });
    try {
      const models = createModels({ apiKey: 'none', baseUrl: provider.baseUrl });
      const made = await openStep([], {}, { agent: { model: 'openai-chat/m' }, models });
      await made.answer();
      expect(provider.requests).toHaveLength(3);
      expect(made.run.getState().open?.answer?.text).toBe('The dose is 5 mg.');
    } finally {
      await provider.close();
    }
  }, 10_000);
});

describe('a provider without the API of the model id', () => {
  test('fails the run with the model id to use as the remedy', async () => {
    const provider = await startByteProvider();
    provider.answer({ pieces: sseEvents({ id: 'c', choices: [{ index: 0, delta: { content: 'Hello.' } }] }) });
    try {
      const models = createModels({ apiKey: 'none', baseUrl: provider.baseUrl });
      const made = await openStep([], {}, { agent: { model: 'openai/m' }, models });
      expect(await made.answer()).toMatchObject({
        error: { code: 'model-call-failed', remedy: 'Write the id of the model as openai-chat/<id>.' },
      });
      expect(provider.requests).toHaveLength(1);
    } finally {
      await provider.close();
    }
  });
});
