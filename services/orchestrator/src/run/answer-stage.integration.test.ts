// A step's answer, from processInputStep to the checkpoint: the model's request, the stored parts, repeated chunks.
import { selectMessages, readMessageText, type Verdict } from '@millrace/contracts';
import { useBus, useNats } from '@millrace/testkit';
import { describe, expect, test } from 'vitest';
import { say, listTypes } from '../testing/chunks.ts';
import { useOpenSteps, type Judge } from '../testing/open-steps.ts';
import { goOn } from '../testing/scripted-replica.ts';
import type { TestRun } from '../testing/test-run.ts';
import { makeChunk } from '../transcript/make-chunk.ts';
import { FEEDBACK_TAG } from '../state/run-state.ts';

const nats = useNats();
const connection = useBus(nats, 'orchestrator');
const openStep = useOpenSteps(connection);
const listSystem = ({ run }: TestRun) =>
  run.getState().conversation.system.map(({ tag, content }) => `${tag}: ${content}`);
const systemOp = (tag: string, ...contents: string[]): Verdict => ({
  type: 'continue',
  changes: { ops: [{ op: 'system', tag, contents }] },
});

describe('a step’s answer', () => {
  test('is accepted, and a checkpoint', async () => {
    const made = await openStep([{ text: 'Hello.' }]);
    expect(await made.answer()).toBeUndefined();
    expect(made.run.getState().open?.answer).toMatchObject({ text: 'Hello.', finishReason: 'stop', fromCache: false });
    expect(made.records).toHaveLength(1);
    expect(made.asked[0]?.headers).toEqual({ 'X-Client-Request-Id': 'run-1.1' });
  });

  test('that is in the state already is not asked for again', async () => {
    const made = await openStep([{ text: 'Hello.' }]);
    await made.answer();
    await made.answer();
    expect(made.asked).toHaveLength(1);
  });

  test('has the text and calls that processOutputStep leaves', async () => {
    const calls = [1, 2].map((n) => ({ toolCallId: `c${n}`, toolName: 'clock', input: '{}' }));
    const judge: Judge = ({ toolCalls = [] }) => ({
      type: 'continue',
      changes: { text: 'Better.', toolCalls: toolCalls.slice(1) },
    });
    const made = await openStep([{ text: 'Hello.', calls }], { processOutputStep: judge });
    await made.answer();
    const { answer } = made.run.getState().open ?? {};
    expect(answer).toMatchObject({ text: 'Better.', toolCalls: [{ toolCallId: 'c2' }] });
    expect(selectMessages(made.run.getState().conversation, 'response').map(readMessageText)).toEqual(['Better.']);
  });

  test('may have at most 128 tool calls, including those that a processor adds', async () => {
    const toolCalls = Array.from({ length: 129 }, (_, n) => ({ toolCallId: `c${n}`, toolName: 'clock', args: {} }));
    const judge: Judge = () => ({ type: 'continue', changes: { toolCalls } });
    const made = await openStep([{ text: 'Hello.' }], { processOutputStep: judge });
    expect(await made.answer()).toMatchObject({ error: { code: 'model-answer-too-large' } });
  });

  test('that processOutputStep removes has no text', async () => {
    const judge: Judge = () => ({ type: 'continue', changes: { ops: [{ op: 'remove', ids: ['run-1.0'] }] } });
    const made = await openStep([{ text: 'Hello.' }], { processOutputStep: judge });
    await made.answer();
    expect(made.run.getState().open?.answer).toMatchObject({ text: '', message: { content: { parts: [] } } });
  });
});

describe('system messages', () => {
  test('of processInputStep are the model’s for this step; those of processOutputStep stay for the next', async () => {
    const made = await openStep([{ text: 'Hello.' }], {
      processInputStep: () => systemOp('hint', 'Only now.'),
      processOutputStep: () => systemOp('loop', 'You repeat yourself.'),
    });
    await made.answer();
    expect(made.asked[0]?.prompt.map(({ content }) => content)).toContain('Only now.');
    expect(listSystem(made)).toEqual(['instructions: Be brief.', 'loop: You repeat yourself.']);
  });

  test('with the reason of a retry are removed once an answer is accepted', async () => {
    const made = await openStep([{ text: 'Hello.' }]);
    made.run.dispatch({ action: 'rewound', to: 'step', feedback: 'Too rude.' });
    made.run.dispatch({ action: 'step-opened', firstIndex: 0 });
    await made.answer();
    expect(JSON.stringify(made.asked[0]?.prompt)).toContain('Too rude.');
    expect(listSystem(made).some((line) => line.startsWith(FEEDBACK_TAG))).toBe(false);
  });
});

describe('processLLMRequest', () => {
  test('changes the prompt of this call alone', async () => {
    const prompt = [{ role: 'user' as const, content: [{ type: 'text', text: 'other' }] }];
    const made = await openStep([{ text: 'Hello.' }], {
      processLLMRequest: () => ({ type: 'continue', changes: { prompt } }),
    });
    await made.answer();
    expect(made.asked[0]?.prompt).toEqual(prompt);
    expect(JSON.stringify(made.run.getState().conversation)).not.toContain('other');
  });

  test('that answers from a cache contributes its text only: the frame is the step’s own', async () => {
    const frame = (type: string, payload: object = {}) => makeChunk('old', { type, payload });
    const chunks = [
      frame('start'),
      frame('step-start'),
      ...say('cached'),
      frame('finish', { stepResult: { reason: 'stop' }, output: {}, messages: [] }),
      frame('tripwire', { reason: 'old' }),
    ];
    let fromCache: boolean | undefined;
    const made = await openStep([{ text: 'never' }], {
      processLLMRequest: () => ({ type: 'respond', chunks }),
      processLLMResponse: (input) => {
        ({ fromCache } = input);
        return goOn;
      },
    });
    await made.answer();
    expect(made.asked).toEqual([]);
    expect(listTypes(made.published)).toEqual(['step-start', 'text-start', 'text-delta', 'text-end']);
    expect(made.published.every(({ runId }) => runId === 'run-1')).toBe(true);
    expect(made.run.getState().open?.answer).toMatchObject({ text: 'cached', fromCache: true });
    expect(fromCache).toBe(true);
  });
});
