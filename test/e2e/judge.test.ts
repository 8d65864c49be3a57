// The judge processor over the real stack: scripted verdicts of dev-model determine the run.
import { buildTextMessage } from '@millrace/contracts';
import { useSharedStack } from '@millrace/testkit';
import { describe, expect, test } from 'vitest';
import { applying } from './apply-agent.ts';
import { collect, joinText } from './collect.ts';
import { script } from './script.ts';

const stack = useSharedStack();
const agent = applying(stack);

const model = 'openai-chat/judge';
const fence = '```';
/** dev-model reads the verdict in any input of the judge. */
const verdict = (rule: string, score: number) =>
  `${fence}verdict${JSON.stringify([{ for: 'judge', answer: { scores: { [rule]: score } } }])}${fence}`;
const ask = (options: object) => ({ use: 'judge', options: { model, ...options } });
const QUESTION = { question: 'Does the text promise a refund?' };

describe.concurrent('judge over the stack', () => {
  test("the author's question stops a run at its input, before the call of the agent's model", async () => {
    const name = await agent('judge-input', { input: [ask(QUESTION)] });
    const run = await stack.client.start(name, `Hello ${verdict('question', 0.9)}`);
    expect(await run.result()).toMatchObject({
      status: 'aborted',
      tripwire: { reason: 'Judge: question.', processorId: 'judge', metadata: { rules: ['question'] } },
    });
    const events = await stack.client.runs.events(run.runId);
    expect(events.filter(({ event }) => event === 'model')).toEqual([]);
    expect(await (await stack.client.start(name, `Hello ${verdict('question', 0.4)}`)).result()).toMatchObject({
      status: 'finished',
    });
  });

  test('a file with a verdict of its own stops the run before the call of the model of the agent', async () => {
    const name = await agent('judge-file', { input: [ask({ ...QUESTION, files: ['image', 'document'] })] });
    const send = async (mimeType: string, text: string) => {
      const data = Buffer.from(text).toString('base64');
      const message = buildTextMessage('m1', 'user', 'Look.');
      const parts = [...message.content.parts, { type: 'file' as const, mimeType, data }];
      return stack.client.generate(name, [{ ...message, content: { format: 2, parts } }]);
    };
    for (const mimeType of ['image/png', 'application/pdf']) {
      expect(await send(mimeType, verdict('question', 0.9))).toMatchObject({
        status: 'aborted',
        tripwire: { reason: 'Judge: question.', metadata: { rules: ['question'] } },
      });
      expect(await send(mimeType, verdict('question', 0.1))).toMatchObject({ status: 'finished' });
    }
  });

  test('the usage of the run has the tokens of the guards by entry, whatever their verdict, and not in its own sums', async () => {
    const entries = [ask(QUESTION), { ...ask({ question: 'Is it rude?' }), as: 'second' }];
    const name = await agent('judge-usage', { input: entries, output: ['judge'] });
    const counted = { modelCalls: 1, inputTokens: expect.any(Number), outputTokens: expect.any(Number) };
    const run = await stack.client.start(name, script({ text: `Hello. ${verdict('question', 0.1)}` }));
    const { usage, status } = await run.result();
    expect([status, usage.processors]).toEqual([
      'finished',
      [
        { ...counted, entry: 'judge', modelCalls: 2 },
        { ...counted, entry: 'second' },
      ],
    ]);
    const [first] = usage.processors ?? [];
    expect(first?.inputTokens).toBeGreaterThan(0);
    const [model] = (await stack.client.runs.events(run.runId)).flatMap((event) =>
      event.event === 'model' ? [event.usage] : [],
    );
    expect(usage.inputTokens).toBe(model?.inputTokens);
    const rejected = await stack.client.start(name, `Hello again ${verdict('question', 0.9)}`);
    expect((await rejected.result()).usage.processors).toEqual([{ ...counted, entry: 'judge' }]);
    const invalid = `${fence}verdict${JSON.stringify([{ for: 'judge', text: 'It may.' }])}${fence}`;
    const failed = await (await stack.client.start(name, `Hello ${invalid}`)).result();
    expect(failed).toMatchObject({ status: 'failed', usage: { processors: [{ ...counted, entry: 'judge' }] } });
  });

  test('a rejected answer is never published', async () => {
    const name = await agent('judge-output', { output: [ask(QUESTION)] });
    const run = await stack.client.start(name, script({ text: `You get it back. ${verdict('question', 0.9)}` }));
    expect(joinText(await collect(run))).toBe('');
    expect(await run.result()).toMatchObject({ status: 'aborted', text: '' });
  });

  test('the strategy retry has the model answer again, and only the second answer is published', async () => {
    const grounding = ask({ preset: 'grounding', strategy: 'retry' });
    const name = await agent('judge-retry', { output: [grounding], maxProcessorRetries: 2 });
    const answers = [{ text: `The moon is cheese. ${verdict('ungrounded', 0.9)}` }, { text: 'I do not know.' }];
    const run = await stack.client.start(name, script(...answers));
    expect(joinText(await collect(run))).toBe('I do not know.');
    expect(await run.result()).toMatchObject({ status: 'finished', text: 'I do not know.' });
  });

  test('grounding judges an answer with the results of tools', async () => {
    const name = await agent('judge-grounding', { tools: ['calculator'], output: [ask({ preset: 'grounding' })] });
    const expression = '391 * 1';
    const run = await stack.client.start(
      name,
      script({ toolCalls: [{ name: 'calculator', args: { expression } }] }, { text: 'It is 391.' }),
    );
    expect(await run.result()).toMatchObject({ status: 'finished', text: 'It is 391.' });
  });

  test('tool-alignment denies a call that does not serve the request, and the run continues', async () => {
    const alignment = ask({ preset: 'tool-alignment', strategy: 'filter' });
    const name = await agent('judge-alignment', { tools: ['calculator'], input: [alignment] });
    const steps = [{ toolCalls: [{ name: 'calculator', args: { expression: '17 * 23' } }] }, { text: 'Done.' }];
    const run = await stack.client.start(name, `${script(...steps)} ${verdict('misaligned-call', 0.9)}`);
    const result = await run.result();
    expect(result).toMatchObject({ status: 'finished', text: 'Done.' });
    expect(JSON.stringify(result.messages)).toContain('A guard denied this call.');
    // An id may contain the digits too.
    expect(JSON.stringify(result.messages)).not.toMatch(/\b391\b/);
  });

  test('a judge without a question and a preset is refused when the agent is applied', async () => {
    await expect(agent('judge-bare', { input: ['judge'] })).rejects.toMatchObject({
      issues: expect.arrayContaining([
        expect.objectContaining({ code: 'options-invalid', message: 'judge: must have "question" or "preset".' }),
      ]),
    });
  });

  test('an outage of the judging model fails the run', async () => {
    const error = { status: 503, retryAfterSeconds: 0.01 };
    const failing = `${fence}verdict${JSON.stringify([{ for: 'judge', error }])}${fence}`;
    const run = await stack.client.start(await agent('judge-outage', { input: [ask(QUESTION)] }), `Hello ${failing}`);
    expect(await run.result()).toMatchObject({ status: 'failed', error: { code: 'model-call-failed' } });
  });

  test("pii waits for its model longer than a guard's own five seconds", async () => {
    const slow = [{ for: 'personal-names', answer: {}, delayMs: 5_500 }];
    const name = await agent('slow-names', { input: [{ use: 'pii', options: { model } }] });
    const run = await stack.client.start(name, `I am Ada. ${fence}verdict${JSON.stringify(slow)}${fence}`);
    expect(await run.result()).toMatchObject({ status: 'finished' });
  });
});
