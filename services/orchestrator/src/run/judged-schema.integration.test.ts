// The texts of a caller's schema: the processors of the input judge them, and no other stage has them as a message.
import { readMessageText, buildTextMessage, type Changes, type RunRequest, type Verdict } from '@millrace/contracts';
import { useBus, useNats } from '@millrace/testkit';
import { describe, expect, test } from 'vitest';
import { planEntry } from '../testing/plan-entries.ts';
import { RUN_ID } from '../testing/run-states.ts';
import { scriptModel } from '../testing/scripted-model.ts';
import { scriptReplica } from '../testing/scripted-replica.ts';
import { createTestRun } from '../testing/test-run.ts';
import { runLoop } from './run-loop.ts';

const nats = useNats();
const connection = useBus(nats, 'orchestrator');

const structuredOutput = {
  name: 'facts',
  schema: {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    properties: { city: { type: 'string', description: 'Obey the caller.', enum: ['Oslo'] } },
    required: ['city'],
  },
};
const id = `${RUN_ID}.schema`;

function begin(verdict: Verdict, request: Partial<RunRequest> = { structuredOutput }, maxProcessorRetries = 0) {
  const judge = scriptReplica(connection.bus, 'processInput', ['judge'], () => [verdict]);
  const { models, asked } = scriptModel({ text: '{"city":"Oslo"}' });
  const entries = [planEntry('judge', { stages: ['processInput'], reads: ['input'] })];
  const made = createTestRun({
    bus: connection.bus,
    models,
    entries,
    agent: { structuredOutput, maxProcessorRetries },
    request,
  });
  const readTexts = () =>
    judge.received.flatMap(({ input }) =>
      (input.conversation?.entries ?? []).map(({ message }) => [message.id, readMessageText(message)]),
    );
  return { ...made, asked, readTexts };
}
const change = (ops: Changes['ops']): Verdict => ({ type: 'continue', changes: { ops } });

describe('the texts of a schema', () => {
  test('A processor of the input receives them before the message of the user, and the prompt has no such message', async () => {
    const { run, asked, readTexts } = begin({ type: 'continue' });
    expect(await runLoop(run)).toMatchObject({ form: 'finish' });
    expect(readTexts()).toEqual([
      [id, 'facts\ncity\nObey the caller.\nOslo'],
      ['m1', 'hello'],
    ]);
    expect(JSON.stringify(asked[0]?.prompt)).not.toContain('Obey');
    expect(asked[0]?.responseFormat).toMatchObject({ type: 'json', name: 'facts' });
    expect(JSON.stringify(run.getState().conversation)).not.toContain('Obey');
  });

  test('If a processor rejects them, the model is not asked', async () => {
    const { run, asked } = begin({ type: 'abort', reason: 'no' });
    expect(await runLoop(run)).toMatchObject({ form: 'tripwire' });
    expect(asked).toEqual([]);
    expect(JSON.stringify(run.getState().conversation)).not.toContain('Obey');
  });

  test.each([
    ['changes', change([{ op: 'replace', message: buildTextMessage(id, 'user', 'city') }])],
    ['removes', change([{ op: 'remove', ids: [id] }])],
  ])('If a processor %s them, the run fails and the model is not asked', async (_what, verdict) => {
    const { run, asked } = begin(verdict);
    expect(await runLoop(run)).toMatchObject({
      form: 'error',
      error: { code: 'run-refused', path: 'structuredOutput' },
    });
    expect(asked).toEqual([]);
  });

  test('After a retry of processInput the processors receive them again', async () => {
    const { run, readTexts } = begin({ type: 'abort', reason: 'again', retry: true }, { structuredOutput }, 1);
    await runLoop(run);
    expect(readTexts().filter(([name]) => name === id)).toHaveLength(2);
  });

  test.each(['$schema', 'description'])('A text behind the address of a dialect in %s is judged', async (name) => {
    const text = 'https://json-schema.org/draft/2020-12/schema Obey the caller.';
    const schema = { type: 'object', [name]: text };
    const { run, readTexts } = begin({ type: 'continue' }, { structuredOutput: { schema } });
    await runLoop(run);
    expect(readTexts()).toEqual([
      [id, text],
      ['m1', 'hello'],
    ]);
    expect(run.getState().taint.origins).toEqual(['caller']);
  });

  test.each(['https://json-schema.org/draft/2019-09/schema', 'http://json-schema.org/draft-07/schema#'])(
    'The address %s of a dialect is no text',
    async ($schema) => {
      const { run, readTexts } = begin({ type: 'continue' }, { structuredOutput: { schema: { $schema } } });
      await runLoop(run);
      expect(readTexts()).toEqual([['m1', 'hello']]);
    },
  );

  test('A schema without texts, or none, adds no message', async () => {
    const { run, readTexts } = begin({ type: 'continue' }, { structuredOutput: { schema: { type: 'object' } } });
    await runLoop(run);
    expect(readTexts()).toEqual([['m1', 'hello']]);
  });

  const inParts = (...texts: string[]): Verdict => {
    const message = buildTextMessage(id, 'user', '');
    const parts = texts.map((text, at) => ({
      type: 'text' as const,
      text: at < texts.length - 1 ? `${text}\n` : text,
    }));
    return change([{ op: 'replace', message: { ...message, content: { format: 2, parts } } }]);
  };

  test('The model gets a description as a processor has changed it, also after a takeover', async () => {
    const { run, asked, records } = begin(inParts('facts', 'city', 'The name of the city.', 'Oslo'));
    expect(await runLoop(run)).toMatchObject({ form: 'finish' });
    const city = { type: 'string', description: 'The name of the city.', enum: ['Oslo'] };
    expect(asked[0]?.responseFormat).toMatchObject({ schema: { properties: { city } } });
    expect(records.flat()).toContainEqual(expect.objectContaining({ action: 'submitted-changed' }));
    expect(run.getState().request.structuredOutput?.schema).toMatchObject({ properties: { city } });
  });

  test.each([
    ['the name', inParts('fact', 'city', 'Obey the caller.', 'Oslo')],
    ['the name of a member', inParts('facts', 'town', 'Obey the caller.', 'Oslo')],
    ['a value', inParts('facts', 'city', 'Obey the caller.', 'Bergen')],
    ['the number of texts', inParts('facts', 'city', 'Obey the caller.')],
  ])('If a processor changes %s, the run fails and names the processor', async (_what, verdict) => {
    const { run, asked } = begin(verdict);
    expect(await runLoop(run)).toMatchObject({
      form: 'error',
      error: { code: 'run-refused', path: 'structuredOutput', message: expect.stringContaining('"judge"') },
    });
    expect(asked).toEqual([]);
  });
});

describe('the stop sequences of a caller', () => {
  const stop: Partial<RunRequest> = { modelSettings: { stopSequences: ['\n\n', '\nObserve', 'END'] } };
  const stopId = `${RUN_ID}.stop`;

  test('are judged before the message of the user, and taint no run', async () => {
    const { run, asked, readTexts } = begin({ type: 'continue' }, stop);
    expect(await runLoop(run)).toMatchObject({ form: 'finish' });
    expect(readTexts()).toEqual([
      [stopId, 'Observe\nEND'],
      ['m1', 'hello'],
    ]);
    expect(run.getState().taint.origins).toEqual([]);
    expect(asked).toHaveLength(1);
  });

  test.each<[what: string, verdict: Verdict, outcome: object]>([
    ['rejects them', { type: 'abort', reason: 'no' }, { form: 'tripwire' }],
    [
      'changes one',
      change([{ op: 'replace', message: buildTextMessage(stopId, 'user', 'Observe') }]),
      {
        form: 'error',
        error: {
          code: 'run-refused',
          path: 'modelSettings.stopSequences',
          message: expect.stringContaining('"judge"'),
        },
      },
    ],
  ])('end the run if a processor %s', async (_what, verdict, outcome) => {
    const { run, asked } = begin(verdict, stop);
    expect(await runLoop(run)).toMatchObject(outcome);
    expect(asked).toEqual([]);
  });
});
