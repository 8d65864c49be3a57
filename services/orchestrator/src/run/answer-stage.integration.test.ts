// A step's answer, from processInputStep to the checkpoint: what is asked of the model, what is kept, what is said again.
import {
  messagesOf,
  messageText,
  STAGES,
  type Agent,
  type PlanEntry,
  type Stage,
  type StageInput,
  type Verdict,
} from '@millrace/contracts';
import { defineProcessor, useBus, useNats, useProcessors } from '@millrace/testkit';
import { afterEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { dataChunk, say, textOf, typesOf } from '../testing/chunks.ts';
import { planEntry } from '../testing/plan-entries.ts';
import { goOn, scriptReplica, type ScriptedReplica } from '../testing/scripted-replica.ts';
import { scriptModel, type Say } from '../testing/scripted-model.ts';
import { createTestRun, type TestRun } from '../testing/test-run.ts';
import { chunk } from '../state/make-chunk.ts';
import { answerStage } from './answer-stage.ts';
import { FEEDBACK_TAG } from '../state/run-state.ts';

const nats = useNats();
/** Masks an object of the answer, or drops it. */
const objects = defineProcessor({
  id: 'objects',
  description: 'of objects',
  stages: ['processOutputStream'],
  reads: [],
  options: z.strictObject({ does: z.string() }),
  create: ({ does }) => ({
    id: 'objects',
    processOutputStream: async ({ part }) => {
      if (part.type !== 'object-result') return part;
      return does === 'drop' ? null : { ...part, object: { mail: '***' } };
    },
  }),
});
useProcessors(nats, [objects], 'guards');
const connection = useBus(nats, 'orchestrator');
const replicas: ScriptedReplica[] = [];
const runs: TestRun[] = [];
afterEach(async () => {
  await Promise.all(replicas.splice(0).map((replica) => replica.stop()));
  for (const run of runs.splice(0)) run.close();
});

type Judge = (input: StageInput) => Verdict;
/** A run with an open step; one processor for each stage that the test judges. */
async function stepOf(
  script: Say[],
  judges: Partial<Record<Stage, Judge>> = {},
  agent: Partial<Agent> = {},
  deadlineMs?: number,
  more: PlanEntry[] = [],
) {
  const stages = STAGES.filter((stage) => judges[stage]);
  for (const stage of stages) {
    replicas.push(scriptReplica(connection.bus, stage, [stage], ({ input }) => [judges[stage]?.(input) ?? goOn]));
  }
  const { models, asked } = scriptModel(...script);
  const reads = ['input', 'response', 'system', 'prompt', 'chunks', 'steps', 'tools'] as const;
  const entries = stages
    .map((stage) => planEntry(stage, { stages: [stage], attempts: 1, reads: [...reads] }))
    .concat(more);
  const made = createTestRun({ bus: connection.bus, entries, models, agent, ...(deadlineMs && { deadlineMs }) });
  runs.push(made);
  made.run.dispatch({ action: 'input-passed' });
  made.run.dispatch({ action: 'step-opened', firstIndex: 0 });
  await connection.bus.nc.flush();
  return { ...made, asked, answer: () => answerStage(made.run) };
}
const systemOf = ({ run }: TestRun) => run.state().conversation.system.map(({ tag, content }) => `${tag}: ${content}`);
const systemOp = (tag: string, ...contents: string[]): Verdict => ({
  type: 'continue',
  changes: { ops: [{ op: 'system', tag, contents }] },
});

describe('an answer', () => {
  test('is accepted, and a checkpoint', async () => {
    const made = await stepOf([{ text: 'Hello.' }]);
    expect(await made.answer()).toBeUndefined();
    expect(made.run.state().open?.answer).toMatchObject({ text: 'Hello.', finishReason: 'stop', fromCache: false });
    expect(made.records).toHaveLength(1);
    expect(made.asked[0]?.headers).toEqual({ 'X-Client-Request-Id': 'run-1.1' });
  });

  test('that is there is not asked for again: it is paid for', async () => {
    const made = await stepOf([{ text: 'Hello.' }]);
    await made.answer();
    await made.answer();
    expect(made.asked).toHaveLength(1);
  });

  test('is what processOutputStep leaves of it: text and calls', async () => {
    const calls = [1, 2].map((n) => ({ toolCallId: `c${n}`, toolName: 'clock', input: '{}' }));
    const judge: Judge = ({ toolCalls = [] }) => ({
      type: 'continue',
      changes: { text: 'Better.', toolCalls: toolCalls.slice(1) },
    });
    const made = await stepOf([{ text: 'Hello.', calls }], { processOutputStep: judge });
    await made.answer();
    const { answer } = made.run.state().open ?? {};
    expect(answer).toMatchObject({ text: 'Better.', toolCalls: [{ toolCallId: 'c2' }] });
    expect(messagesOf(made.run.state().conversation, 'response').map(messageText)).toEqual(['Better.']);
  });

  test('may have 128 tool calls and no more, also where a processor adds them', async () => {
    const toolCalls = Array.from({ length: 129 }, (_, n) => ({ toolCallId: `c${n}`, toolName: 'clock', args: {} }));
    const judge: Judge = () => ({ type: 'continue', changes: { toolCalls } });
    const made = await stepOf([{ text: 'Hello.' }], { processOutputStep: judge });
    expect(await made.answer()).toMatchObject({ ending: { error: { code: 'model-answer-too-large' } } });
  });

  test('that processOutputStep removes has no text', async () => {
    const judge: Judge = () => ({ type: 'continue', changes: { ops: [{ op: 'remove', ids: ['run-1.0'] }] } });
    const made = await stepOf([{ text: 'Hello.' }], { processOutputStep: judge });
    await made.answer();
    expect(made.run.state().open?.answer).toMatchObject({ text: '', message: { content: { parts: [] } } });
  });
});

describe('system messages', () => {
  test('of processInputStep are the model’s for this step; those of processOutputStep stay for the next', async () => {
    const made = await stepOf([{ text: 'Hello.' }], {
      processInputStep: () => systemOp('hint', 'Only now.'),
      processOutputStep: () => systemOp('loop', 'You repeat yourself.'),
    });
    await made.answer();
    expect(made.asked[0]?.prompt.map(({ content }) => content)).toContain('Only now.');
    expect(systemOf(made)).toEqual(['instructions: Be brief.', 'loop: You repeat yourself.']);
  });

  test('with the reason of a retry are gone once an answer is accepted', async () => {
    const made = await stepOf([{ text: 'Hello.' }]);
    made.run.dispatch({ action: 'rewound', to: 'step', feedback: 'Too rude.' });
    made.run.dispatch({ action: 'step-opened', firstIndex: 0 });
    await made.answer();
    expect(JSON.stringify(made.asked[0]?.prompt)).toContain('Too rude.');
    expect(systemOf(made).some((line) => line.startsWith(FEEDBACK_TAG))).toBe(false);
  });
});

describe('processLLMRequest', () => {
  test('changes the prompt of this call alone', async () => {
    const prompt = [{ role: 'user' as const, content: [{ type: 'text', text: 'other' }] }];
    const made = await stepOf([{ text: 'Hello.' }], {
      processLLMRequest: () => ({ type: 'continue', changes: { prompt } }),
    });
    await made.answer();
    expect(made.asked[0]?.prompt).toEqual(prompt);
    expect(JSON.stringify(made.run.state().conversation)).not.toContain('other');
  });

  test('that answers from a cache has its words alone taken: the frame is the step’s own', async () => {
    const frame = (type: string, payload: object = {}) => chunk('old', { type, payload });
    const chunks = [
      frame('start'),
      frame('step-start'),
      ...say('cached'),
      frame('finish', { stepResult: { reason: 'stop' }, output: {}, messages: [] }),
      frame('tripwire', { reason: 'old' }),
    ];
    let fromCache: boolean | undefined;
    const made = await stepOf([{ text: 'never' }], {
      processLLMRequest: () => ({ type: 'respond', chunks }),
      processLLMResponse: (input) => {
        ({ fromCache } = input);
        return goOn;
      },
    });
    await made.answer();
    expect(made.asked).toEqual([]);
    expect(typesOf(made.published)).toEqual(['step-start', 'text-start', 'text-delta', 'text-end']);
    expect(made.published.every(({ runId }) => runId === 'run-1')).toBe(true);
    expect(made.run.state().open?.answer).toMatchObject({ text: 'cached', fromCache: true });
    expect(fromCache).toBe(true);
  });
});

describe('a model that fails', () => {
  const busy = Object.assign(new TypeError('fetch failed'));
  const refused = new Error('too long');

  test('is tried twice more where that may help, and what it had said is taken back', async () => {
    const made = await stepOf([
      { text: 'Hel', breaksOff: { type: 'server_error', message: 'gone' } },
      { text: 'Hello.' },
    ]);
    await made.answer();
    expect(made.asked.map(({ headers }) => headers?.['X-Client-Request-Id'])).toEqual(['run-1.1', 'run-1.2']);
    expect(made.published.filter(({ type }) => type === 'retract')).toMatchObject([{ payload: { index: 0 } }]);
    expect(made.run.state().open?.answer?.text).toBe('Hello.');
  });

  test('takes back only what it said: custom chunks of stages that do not run again stay', async () => {
    const made = await stepOf(
      [{ text: 'Hel', breaksOff: { type: 'server_error', message: 'gone' } }, { text: 'Hello.' }],
      {
        processInputStep: () => ({ type: 'continue', data: [dataChunk('found')] }),
      },
    );
    await made.answer();
    expect(typesOf(made.published)[0]).toBe('data-found');
    expect(made.published.filter(({ type }) => type === 'retract')).toMatchObject([{ payload: { index: 1 } }]);
  });

  test('is not waited for until after the run’s deadline', async () => {
    const limited = Object.assign(new Error('slow down'), {
      [Symbol.for('vercel.ai.error')]: true,
      [Symbol.for('vercel.ai.error.AI_APICallError')]: true,
      statusCode: 429,
      isRetryable: true,
      responseHeaders: { 'retry-after': '30' },
    });
    const made = await stepOf([{ error: limited }], {}, {}, 20_000);
    expect(await made.answer()).toMatchObject({ ending: { error: { code: 'model-call-failed' } } });
    expect(made.asked).toHaveLength(1);
  });

  test('is asked no more than three times, and then the run fails with its words', async () => {
    const made = await stepOf([{ error: busy }]);
    expect(await made.answer()).toMatchObject({
      ending: { form: 'error', error: { code: 'model-call-failed', message: 'openai/test: fetch failed' } },
    });
    expect(made.asked).toHaveLength(3);
    expect(made.events.filter(({ event }) => event === 'model')).toHaveLength(3);
  }, 10_000);

  test('is asked again as processAPIError says, as often as retries are left, each counted in every stage', async () => {
    const counts: Record<string, number[]> = { processInputStep: [], processAPIError: [] };
    const made = await stepOf(
      [{ error: refused }],
      {
        processInputStep: ({ retryCount }) => (counts['processInputStep']?.push(retryCount), goOn),
        processAPIError: ({ retryCount }) => (counts['processAPIError']?.push(retryCount), { type: 'retry' }),
      },
      { maxProcessorRetries: 2 },
    );
    expect(await made.answer()).toMatchObject({ ending: { form: 'error', error: { code: 'model-call-failed' } } });
    expect(made.asked).toHaveLength(3);
    expect(counts).toEqual({ processInputStep: [0, 1, 2], processAPIError: [0, 1, 2] });
    expect(made.published.filter(({ type }) => type === 'retract')).toHaveLength(3);
  });

  test('is not asked again where other retries have used the count up', async () => {
    const made = await stepOf(
      [{ error: refused }],
      { processAPIError: () => ({ type: 'retry' }) },
      { maxProcessorRetries: 1 },
    );
    made.run.dispatch({ action: 'rewound', to: 'step', feedback: 'Too rude.' });
    made.run.dispatch({ action: 'step-opened', firstIndex: 0 });
    await made.answer();
    expect(made.asked).toHaveLength(1);
  });

  test('can be asked again with other messages', async () => {
    const made = await stepOf([{ error: refused }, { text: 'short' }], {
      processAPIError: () => ({
        type: 'retry',
        changes: { ops: [{ op: 'system', tag: 'less', contents: ['Say less.'] }] },
      }),
    });
    await made.answer();
    expect(JSON.stringify(made.asked[1]?.prompt)).toContain('Say less.');
    expect(textOf(made.published)).toBe('short');
  });
});

describe('structured output', () => {
  const agent = { structuredOutput: { schema: { type: 'object' } } };

  test('is an object in the stream and in the answer', async () => {
    const made = await stepOf([{ text: '{"a":1}' }], {}, agent);
    expect(await made.answer()).toBeUndefined();
    expect(made.asked[0]?.responseFormat).toMatchObject({ type: 'json', schema: { type: 'object' } });
    expect(made.published.at(-1)).toMatchObject({ type: 'object-result', object: { a: 1 } });
    expect(made.run.state().open?.answer?.object).toEqual({ a: 1 });
  });

  test('is what the output stream’s processors let through of it, and none where they drop it', async () => {
    for (const does of ['mask', 'drop']) {
      const made = await stepOf([{ text: '{"mail":"ada@example.org"}' }], {}, agent, undefined, [
        planEntry('objects', { stages: ['processOutputStream'], options: { does } }),
      ]);
      await made.answer();
      const object = made.run.state().open?.answer?.object;
      expect(object).toEqual(does === 'mask' ? { mail: '***' } : undefined);
    }
  });

  test('that is no JSON fails the run without a word of the answer', async () => {
    const made = await stepOf([{ text: 'my secret' }], {}, agent);
    expect(JSON.stringify(await made.answer())).not.toContain('secret');
  });

  test('that is none fails the run', async () => {
    const made = await stepOf([{ text: 'prose' }], {}, agent);
    expect(await made.answer()).toMatchObject({ ending: { error: { code: 'model-call-failed' } } });
  });

  test('is not looked for in words beside tool calls', async () => {
    const calls = [{ toolCallId: 'c1', toolName: 'clock', input: '{}' }];
    const made = await stepOf([{ text: 'Let me see.', calls }], {}, agent);
    expect(await made.answer()).toBeUndefined();
    expect(made.run.state().open?.answer).not.toHaveProperty('object');
  });
});
