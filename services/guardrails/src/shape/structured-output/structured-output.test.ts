import type { JsonObject } from '@millrace/contracts';
import { stepArgs, catchStop } from '@millrace/testkit';
import { afterAll, describe, expect, test } from 'vitest';
import { measureCpuMs } from '../../testing/cpu-ms.ts';
import { closeThreads } from '../../work/task.ts';
import { prepareRepair } from './repair-answer.ts';
import { structuredOutput } from './structured-output.ts';

afterAll(closeThreads);

const schema = { type: 'object', required: ['city'], properties: { city: { type: 'string' } } };
const repair = (answer: string) => prepareRepair({ schema })([answer])[0];
const validate = async (text: string, options: JsonObject = {}, retryCount = 0) => {
  const args = { ...stepArgs(text), retryCount };
  const processor = structuredOutput.create(structuredOutput.options.parse({ schema, ...options }));
  return { args, call: () => processor.processOutputStep?.(args) };
};

describe('answers and their schemas', () => {
  test.each([
    ['as it is', '{"city":"Oslo"}', '{"city":"Oslo"}', false],
    ['out of a fence', 'Here:\n```json\n{"city":"Oslo"}\n```\nAnything else?', '{"city":"Oslo"}', true],
    ['out of words', 'It is {"city":"Oslo"}, I think.', '{"city":"Oslo"}', true],
  ])('repairAnswer returns the JSON of a fitting answer, %s', (_how, answer, text, isRepaired) => {
    expect(repair(answer)).toEqual({ text, isRepaired });
  });

  test.each([
    ['prose', 'Oslo', 'it is not JSON'],
    ['another object', '{"town":"Oslo"}', "$ must have required property 'city'"],
    ['a value of another type', '{"city":7}', '/city must be string'],
    ['JSON that broke off', '{"city":"Os', 'it is not JSON'],
  ])('repairAnswer describes an answer that is %s without quoting it', (_what, answer, misfit) => {
    expect(repair(answer)).toEqual({ misfit });
  });
});

test.each(['constructor', 'toString'])('an answer does not inherit the member %s of every object', (name) => {
  const found = prepareRepair({ schema: { type: 'object', required: [name] } })(['{}'])[0];
  expect(found).toEqual({ misfit: `$ must have required property '${name}'` });
});

describe('the structured-output processor', () => {
  test('the processor passes a fitting answer and returns a repaired one', async () => {
    expect(await (await validate('{"city":"Oslo"}')).call()).toBeUndefined();
    expect(await (await validate('So: {"city":"Oslo"}')).call()).toEqual({ text: '{"city":"Oslo"}' });
  });

  test('the processor retries with the problem and stops the run without retries left', async () => {
    const first = await validate('My secret is Oslo');
    const stop = await catchStop(first.call);
    expect(stop).toMatchObject({ type: 'abort', retry: true });
    expect(JSON.stringify([stop, first.args.violations])).not.toContain('secret');
    const last = await catchStop((await validate('Oslo', {}, 2)).call);
    expect(last).toMatchObject({ type: 'abort', metadata: { rules: ['structured-output'] } });
    const halted = await catchStop((await validate('Oslo', { response: 'Sorry.' }, 2)).call);
    expect(halted).toMatchObject({ type: 'halt', response: 'Sorry.' });
  });

  test('the strategy warn passes the answer with a violation, and fallback replaces it', async () => {
    const warned = await validate('Oslo', { strategy: 'warn', maxRetries: 0 });
    expect(await warned.call()).toBeUndefined();
    expect(warned.args.violations).toMatchObject([{ rule: 'structured-output', strategy: 'warn' }]);
    const replaced = await validate('Oslo', { strategy: 'fallback', maxRetries: 0, fallback: { city: '' } });
    expect(await replaced.call()).toEqual({ text: '{"city":""}' });
  });

  test('the processor does not judge text next to tool calls', async () => {
    const { args, call } = await validate('Let me see.');
    args.toolCalls.push({ toolCallId: 'c', toolName: 'clock', args: {} });
    expect(await call()).toBeUndefined();
  });
});

test('the time for an unclosed fence does not depend on its spaces', () => {
  expect(measureCpuMs(() => repair(`\`\`\`\n${' '.repeat(200_000)}`))).toBeLessThan(3_000);
});

test('repairAnswer extracts the content of a fence without surrounding white space', () => {
  const text = '{"city": "Ulm"}';
  expect(repair(`Here:\n\`\`\`json  \n${text}  \n  \`\`\` and \`\`\`\n[]\n\`\`\``)).toEqual({ text, isRepaired: true });
});
