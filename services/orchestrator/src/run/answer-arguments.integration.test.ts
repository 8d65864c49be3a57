// The arguments of the stages around a model call, and the decisions of processInputStep.
import { buildTextMessage, type StageInput, type Verdict } from '@millrace/contracts';
import { useBus, useNats } from '@millrace/testkit';
import { describe, expect, test } from 'vitest';
import { useOpenSteps, type Judge } from '../testing/open-steps.ts';
import { planEntry } from '../testing/plan-entries.ts';
import { goOn, scriptReplica } from '../testing/scripted-replica.ts';

const nats = useNats();
const connection = useBus(nats, 'orchestrator');
const openStep = useOpenSteps(connection);

/** A judge that records its input. */
function listening() {
  const heard: StageInput[] = [];
  const judge: Judge = (input) => {
    heard.push(input);
    return goOn;
  };
  return { heard, judge };
}

describe('the steps that a stage after the model receives', () => {
  test('include the one that is judged, as it passed', async () => {
    const response = listening();
    const step = listening();
    const made = await openStep([{ text: 'Hello.' }], {
      processLLMResponse: response.judge,
      processOutputStep: step.judge,
    });
    await made.answer();
    const steps = [{ stepNumber: 0, text: 'Hello.', finishReason: 'stop', toolResults: [], fromCache: false }];
    expect(response.heard).toMatchObject([{ steps }]);
    expect(step.heard).toMatchObject([{ steps, messageId: 'run-1.0' }]);
    expect(made.run.getState().steps).toEqual([]);
  });
});

describe('processLLMResponse', () => {
  test('receives the request’s body and the response’s headers', async () => {
    const { heard, judge } = listening();
    const made = await openStep(
      [{ text: 'Hello.', request: { body: { model: 'm' } }, response: { headers: { a: 'b' } } }],
      {
        processLLMResponse: judge,
      },
    );
    await made.answer();
    expect(heard).toMatchObject([{ request: { model: 'm' }, rawResponse: { headers: { a: 'b' } } }]);
  });
});

describe('processLLMRequest', () => {
  test('receives the provider options and the other entries’ versions, without memory', async () => {
    const { heard, judge } = listening();
    const pii = planEntry('mine', { processor: 'pii', version: '2.0.0', options: { b: 1, a: 2 }, stages: [] });
    const same = planEntry('other', { processor: 'pii', version: '2.0.0', options: { a: 2, b: 1 }, stages: [] });
    const history = planEntry('message-history', { memory: true, stages: [] });
    const made = await openStep(
      [{ text: 'Hello.' }],
      { processLLMRequest: judge },
      { agent: { providerOptions: { openai: { user: 'ada' } } }, entries: [pii, same, history] },
    );
    await made.answer();
    const [input] = heard;
    expect(input?.providerOptions).toEqual({ openai: { user: 'ada' } });
    expect(input?.guards?.map(({ entry, version }) => `${entry} ${version}`)).toEqual([
      'mine 2.0.0',
      'other 2.0.0',
      'processLLMRequest 0.1.0',
    ]);
    const hashes = input?.guards?.map(({ options }) => options) ?? [];
    expect(hashes[0]).toBe(hashes[1]);
    expect(hashes[0]).not.toBe(hashes[2]);
  });
});

test('the model receives the changes of processInputStep: model, tools, choice, settings, options, schema', async () => {
  const tool = {
    description: 'a clock',
    inputSchema: { type: 'object' },
    subject: 's',
    idempotent: true,
    timeoutMs: 9,
  };
  const changes = {
    tools: ['clock', 'search'].map((name) => ({ ...tool, name })),
    activeTools: ['clock'],
    toolChoice: 'required' as const,
    modelSettings: { temperature: 0.5, maxOutputTokens: 9 },
    providerOptions: { openai: { user: 'ada' } },
    structuredOutput: { schema: { type: 'object' }, name: 'thing' },
  };
  const made = await openStep([{ text: '{}' }], { processInputStep: () => ({ type: 'continue', changes }) });
  await made.answer();
  expect(made.asked).toMatchObject([
    {
      tools: [{ type: 'function', name: 'clock' }],
      toolChoice: { type: 'required' },
      temperature: 0.5,
      maxOutputTokens: 9,
      providerOptions: { openai: { user: 'ada' } },
      responseFormat: { type: 'json', schema: { type: 'object' }, name: 'thing' },
    },
  ]);
  expect(made.asked[0]?.tools).toHaveLength(1);
});

test('an answer’s message that a processor of processOutputStep replaces is the text and the calls of the next one', async () => {
  const second = listening();
  const message = { ...buildTextMessage('run-1.0', 'assistant', 'Better.') };
  const replace: Verdict = { type: 'continue', changes: { ops: [{ op: 'replace', message }] } };
  const entries = [planEntry('second', { stages: ['processOutputStep'], reads: ['response'], attempts: 1 })];
  const serve = scriptReplica(connection.bus, 'processOutputStep', ['second'], ({ input }) => [second.judge(input)]);
  const made = await openStep([{ text: 'Hello.' }], { processOutputStep: () => replace }, { entries });
  await made.answer();
  await serve.stop();
  expect(second.heard).toMatchObject([{ text: 'Better.', toolCalls: [] }]);
  expect(made.run.getState().open?.answer).toMatchObject({ text: 'Better.' });
});

test('a step begins with the id of its message and the warnings of the provider’s client', async () => {
  const warnings = [{ type: 'unsupported' as const, feature: 'seed' }];
  const made = await openStep([{ text: 'Hello.', warnings }]);
  await made.answer();
  expect(made.published[0]).toMatchObject({ type: 'step-start', payload: { messageId: 'run-1.0', warnings } });
  const { answer } = made.run.getState().open ?? {};
  expect(answer).toMatchObject({ warnings, latencyMs: expect.any(Number) });
});

test('the model is asked for raw data if the agent wants it, and a cache returns raw data only then', async () => {
  const quiet = await openStep([{ text: 'Hello.' }]);
  await quiet.answer();
  expect(quiet.asked[0]).not.toHaveProperty('includeRawChunks');
  const raw = await openStep([{ text: 'Hello.', raw: [{ sent: 'Hello.' }] }], {}, { agent: { raw: true } });
  await raw.answer();
  expect(raw.asked[0]).toMatchObject({ includeRawChunks: true });
  expect(raw.published).toContainEqual(expect.objectContaining({ type: 'raw', payload: { sent: 'Hello.' } }));
});
