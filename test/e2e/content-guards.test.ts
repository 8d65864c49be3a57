// Limits and lists of guardrails in complete runs: tool calls, the prompt, the published and the stored texts.
import { buildTextMessage } from '@millrace/contracts';
import { useSharedStack } from '@millrace/testkit';
import { describe, expect, test } from 'vitest';
import { applying } from './apply-agent.ts';
import { collect, joinText } from './collect.ts';
import { script } from './script.ts';

const stack = useSharedStack();

const agent = applying(stack);
const sum = (expression: string) => ({ name: 'calculator', args: { expression } });
const listEvents = async (runId: string, kind: string) =>
  (await stack.client.runs.events(runId)).filter(({ event }) => event === kind);

describe('max-tool-calls', () => {
  test('max-tool-calls executes only the first calls, and the run continues', async () => {
    const lists = { output: [{ use: 'max-tool-calls', options: { perStep: 2 } }], tools: ['calculator'] };
    const calls = ['1+1', '2+2', '3+3', '4+4'].map(sum);
    const run = await stack.client.start(
      await agent('few-calls', lists),
      script({ toolCalls: calls }, { text: 'Done.' }),
    );
    const result = await run.result();
    expect(result).toMatchObject({ status: 'finished', text: 'Done.' });
    expect(result.steps?.[0]?.toolResults.map(({ args }) => args)).toEqual(calls.slice(0, 2).map(({ args }) => args));
    expect(await listEvents(run.runId, 'tool')).toHaveLength(2);
  });
});

test('max-tool-calls counts the calls of an answer once towards the limit of the run', async () => {
  const lists = { output: [{ use: 'max-tool-calls', options: { perRun: 5 } }], tools: ['calculator'] };
  const answers = [
    ['1+1', '2+2', '3+3'],
    ['4+4', '5+5', '6+6'],
  ].map((sums) => ({ toolCalls: sums.map(sum) }));
  const run = await stack.client.start(await agent('five-calls', lists), script(...answers, { text: 'Done.' }));
  const { steps } = await run.result();
  expect(steps?.map(({ toolCalls }) => toolCalls.length)).toEqual([3, 2, 0]);
});

describe('tool-allow-list', () => {
  test('tool-allow-list denies a forbidden tool call, and the model receives the reason', async () => {
    const lists = {
      input: [{ use: 'tool-allow-list', options: { rules: [{ agents: ['no-sums'], deny: ['calc*'] }] } }],
      tools: ['calculator', 'clock'],
    };
    const asked = script({ toolCalls: [sum('1+1')] }, { text: 'Not allowed.' });
    const run = await stack.client.start(await agent('no-sums', lists), asked);
    const chunks = await collect(run);
    expect(await run.result()).toMatchObject({ status: 'finished', text: 'Not allowed.' });
    expect(chunks.map(({ type }) => type)).not.toContain('tool-result');
    const allowed = await stack.client.start(await agent('sums', lists), asked);
    expect((await collect(allowed)).map(({ type }) => type)).toContain('tool-result');
  });
});

describe('token-limiter', () => {
  test('token-limiter cuts the stream and the result at the same word', async () => {
    const lists = { output: [{ use: 'TokenLimiterProcessor', as: 'short', options: { limit: 5 } }] };
    const run = await stack.client.start(
      await agent('short-answers', lists),
      script({ text: 'one two three four five six seven eight', chunkSize: 3 }),
    );
    expect(joinText(await collect(run))).toBe('one two three four five');
    expect(await run.result()).toMatchObject({ status: 'finished', text: 'one two three four five' });
  });
  test('token-limiter removes old messages of the caller', async () => {
    const messages = [
      buildTextMessage('old', 'user', `My name is Ada. ${'And so on. '.repeat(40)}`),
      buildTextMessage('new', 'user', 'What is my name?'),
    ];
    const askAgent = async (name: string, input: object[]) => {
      const run = await stack.client.start(await agent(name, { input }), messages);
      return (await run.result()).text;
    };
    expect(await askAgent('long-prompts', [])).toContain('Ada');
    expect(await askAgent('short-prompts', [{ use: 'token-limiter', options: { limit: 60 } }])).not.toContain('Ada');
  });
});

describe('response-validator', () => {
  const makeValidator = (options: object, more: object = {}) => ({
    output: [{ use: 'response-validator', options }],
    maxProcessorRetries: 3,
    ...more,
  });
  test('response-validator requests another answer with the reason, and only the valid answer remains', async () => {
    const name = await agent('validated', makeValidator({ mustMatch: ['#\\d+'] }));
    const run = await stack.client.start(name, script({ text: 'Your order.' }, { text: 'Order #12.' }));
    expect(await run.result()).toMatchObject({ status: 'finished', text: 'Order #12.' });
  });
  test.each([undefined, 1])(
    'response-validator leaves the answer to its strategy if the agent allows fewer retries (%s)',
    async (maxProcessorRetries) => {
      const options = { mustMatch: ['#\\d+'], strategy: 'warn' };
      const output = [{ use: 'response-validator', options }];
      const name = await agent(`cap-${maxProcessorRetries}`, { output, maxProcessorRetries });
      const run = await stack.client.start(name, script({ text: 'one' }, { text: 'two' }, { text: 'three' }));
      expect(await run.result()).toMatchObject({ status: 'finished', text: maxProcessorRetries ? 'two' : 'one' });
    },
  );
  test('response-validator stops the run after the maximum number of retries', async () => {
    const name = await agent('never-valid', makeValidator({ mustMatch: ['#\\d+'], maxRetries: 1 }));
    const run = await stack.client.start(name, script({ text: 'one' }, { text: 'two' }, { text: '#3' }));
    expect(await run.result()).toMatchObject({
      status: 'aborted',
      tripwire: { metadata: { rules: ['must-match'] }, processorId: 'response-validator' },
    });
  });
});

test('batch-parts delivers the same text in fewer chunks', async () => {
  const text = 'A text in many small pieces, as a model sends it.';
  const deltas = async (name: string, output: object[]) => {
    const run = await stack.client.start(await agent(name, { output }), script({ text, chunkSize: 2 }));
    const chunks = await collect(run);
    expect(joinText(chunks)).toBe(text);
    return chunks.filter(({ type }) => type === 'text-delta').length;
  };
  const [few, many] = [await deltas('batched', [{ use: 'batch-parts' }]), await deltas('unbatched', [])];
  expect([few, many]).toEqual([Math.ceil(many / 5), 25]);
});
