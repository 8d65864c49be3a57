import { chunkSchema, type RunAction } from '@millrace/contracts';
import { describe, expect, test } from 'vitest';
import { makeAccepted, makeAnswer, RUN_ID } from '../testing/run-states.ts';
import { createTestRun } from '../testing/test-run.ts';
import { makeFinishChunk, runText, makeStepFinish } from './finish-chunks.ts';
import { listShownSteps } from './shown-steps.ts';

const call = { toolCallId: 'c1', toolName: 'clock', args: {} };
const step = (stepNumber: number, text: string, calls: (typeof call)[] = []): RunAction[] => [
  { action: 'step-opened', firstIndex: stepNumber },
  ...makeAccepted(makeAnswer(stepNumber, text, calls)),
  { action: 'step-closed', results: calls.map((one) => ({ ...one, result: 'noon', isError: false })) },
];
function runAfter(actions: RunAction[], maxSteps = 5) {
  const { run } = createTestRun({ agent: { maxSteps } });
  for (const action of actions) run.dispatch(action);
  return run;
}

describe('the chunk step-finish', () => {
  test('describes the step, and announces another one after its calls', () => {
    const chunk = makeStepFinish(runAfter(step(0, 'Let me see.', [call])));
    expect(chunkSchema.safeParse(chunk).success).toBe(true);
    expect(chunk).toMatchObject({
      type: 'step-finish',
      runId: RUN_ID,
      payload: {
        messageId: `${RUN_ID}.0`,
        stepResult: { reason: 'tool-calls', isContinued: true },
        output: { text: 'Let me see.', toolCalls: [call], usage: { totalTokens: 15 } },
        metadata: { model: 'openai/test', fromCache: false },
        totalUsage: { totalTokens: 15 },
      },
    });
  });

  test('of a step without calls marks it as the last one', () => {
    expect(makeStepFinish(runAfter(step(0, 'Noon.')))).toMatchObject({
      payload: { stepResult: { reason: 'stop', isContinued: false } },
    });
  });

  test('of the last step that the agent allows marks it as the last one, whatever it requests', () => {
    expect(makeStepFinish(runAfter(step(0, '', [call]), 1))).toMatchObject({
      payload: { stepResult: { reason: 'tool-calls', isContinued: false } },
    });
  });
});

describe("the provider's details of a call", () => {
  const told = {
    warnings: [{ type: 'unsupported', feature: 'seed' }],
    response: { id: 'resp_1', modelId: 'gpt-5' },
    providerMetadata: { openai: { responseId: 'resp_1' } },
    latencyMs: 12,
  };
  const source = { id: 's', sourceType: 'url', title: 'A', url: 'https://a.example' };
  const answer = makeAnswer(0, 'Noon.', []);
  const message = {
    ...answer.message,
    content: {
      ...answer.message.content,
      parts: [
        ...answer.message.content.parts,
        { type: 'source' as const, source },
        { type: 'file' as const, data: 'aGk=', mimeType: 'text/plain' },
      ],
    },
  };
  const run = runAfter([
    { action: 'step-opened', firstIndex: 0 },
    { action: 'answer-accepted', answer: { ...answer, ...told, message }, tools: [] },
    { action: 'step-closed', results: [] },
  ]);

  test('are in step-finish and finish', () => {
    const { response, warnings, providerMetadata } = told;
    expect(makeStepFinish(run)).toMatchObject({ payload: { stepResult: { warnings }, response, providerMetadata } });
    expect(makeFinishChunk(run, 'stop')).toMatchObject({ payload: { stepResult: { warnings }, response } });
  });

  test('are in the run’s steps, with sources and files of the answer', () => {
    const expected = {
      warnings: told.warnings,
      response: told.response,
      latencyMs: 12,
      sources: [source],
      files: [{ data: 'aGk=', mimeType: 'text/plain' }],
    };
    expect(run.getState().steps).toMatchObject([expected]);
    expect(listShownSteps(run)).toMatchObject([expected]);
  });

  test('of a removed answer include no sources and no files', () => {
    run.dispatch({ action: 'messages-changed', ops: [{ op: 'remove', ids: [message.id] }] });
    expect(listShownSteps(run)[0]).not.toHaveProperty('sources');
    expect(listShownSteps(run)[0]).not.toHaveProperty('files');
  });
});

describe('the chunk finish', () => {
  const run = runAfter([...step(0, 'Let me see. ', [call]), ...step(1, 'Noon.')]);

  test('has the text and the usage of the whole run, and its own messages only', () => {
    const chunk = makeFinishChunk(run, 'stop');
    expect(chunkSchema.safeParse(chunk).success).toBe(true);
    expect(chunk.payload).toMatchObject({
      stepResult: { reason: 'stop' },
      output: { text: 'Let me see. Noon.', steps: 2, usage: { totalTokens: 30 } },
      messages: [{ id: `${RUN_ID}.0` }, { id: `${RUN_ID}.1` }],
    });
  });

  test('repeats the conversation: a processor that changed a message has changed the text', () => {
    run.dispatch({ action: 'messages-changed', ops: [{ op: 'remove', ids: [`${RUN_ID}.0`] }] });
    expect(runText(run)).toBe('Noon.');
  });
});
