// The agent's option `record: changes`: what is stored, who can read it, and what is never in it.
import { defineProcessor, useProcessors, useSharedStack } from '@millrace/testkit';
import { connect } from '@millrace/client';
import { beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { applying } from './apply-agent.ts';
import { millrace } from './run-command.ts';
import { script } from './script.ts';

const stack = useSharedStack();
const agent = applying(stack);
const options = z.strictObject({});
/** Replaces a word, so that a text has a change before the guard masks it. */
const replacing = (id: string, from: string, to: string) =>
  defineProcessor({
    id,
    description: 'replaces a word',
    stages: ['processInput', 'processOutputStep'],
    reads: ['input', 'response'],
    options,
    create: () => ({
      id,
      processInput: ({ messages }) => messages.map((message) => withText(message, from, to)),
      processOutputStep: ({ text }) => ({ text: text.replaceAll(from, to) }),
    }),
  });
function withText<M extends { content: { parts: { type: string }[] } }>(message: M, from: string, to: string): M {
  const parts = message.content.parts.map((part) =>
    'text' in part && typeof part.text === 'string' ? { ...part, text: part.text.replaceAll(from, to) } : part,
  );
  return { ...message, content: { ...message.content, parts } };
}
const masker = defineProcessor({
  id: 'prompt-masker',
  description: 'changes the prompt of a call',
  stages: ['processLLMRequest'],
  reads: ['prompt'],
  options,
  create: () => ({ id: 'prompt-masker', processLLMRequest: ({ prompt }) => ({ prompt: [...prompt] }) }),
});
const halting = defineProcessor({
  id: 'halting',
  description: 'answers in place of the model',
  stages: ['processInput'],
  reads: ['input'],
  options,
  create: () => ({ id: 'halting', processInput: ({ halt }) => halt('Not today.') }),
});
useProcessors(stack, [replacing('speller', 'colour', 'color'), masker, halting], 'recorded');

const CARD = '4111 1111 1111 1111';
const PROMPT = `My colour card is ${CARD} here.`;
const record = { record: 'changes' };
const blocking = { use: 'regex-filter', options: { rules: [{ pattern: 'Falcon' }], strategy: 'block' } };

async function readChanges(name: string, text: string) {
  const result = await stack.client.generate(name, text, { resourceId: 'recorded', threadId: crypto.randomUUID() });
  const answer = await stack.client.runs.changes(result.runId);
  return { result, ...answer, text: JSON.stringify(answer) };
}
const joinText = (segments: readonly object[] = []): string =>
  segments.map((one) => ('text' in one ? String(one.text) : '#')).join('');

describe('the recorded changes', () => {
  let masked: string;
  beforeAll(async () => {
    masked = await agent('recorded-masked', { input: ['speller', 'pii'], ...record });
  });

  test('A secret that a later entry masks is in no recorded text', async () => {
    const { changes, text } = await readChanges(masked, PROMPT);
    expect(changes.map(({ entry, stage }) => [entry, stage])).toEqual([
      ['speller', 'processInput'],
      ['pii', 'processInput'],
    ]);
    const [spelled, pii] = changes;
    expect([joinText(spelled?.before), joinText(spelled?.after)]).toEqual([
      'My # card is # here.',
      'My color card is # here.',
    ]);
    expect([joinText(pii?.before), joinText(pii?.after)]).toEqual([
      'My color card is # here.',
      'My color card is [REDACTED] here.',
    ]);
    expect(pii?.violations).toEqual([{ processorId: 'pii', rule: 'card', count: 1 }]);
    for (const secret of [CARD, '4111', 'colour']) expect(text).not.toContain(secret);
  });

  test('A secret that the output stream masks is in no recorded text of the answer', async () => {
    const name = await agent('recorded-output', { output: ['pii', 'speller'], ...record });
    const { result, changes, text } = await readChanges(name, script({ text: `The colour card is ${CARD} too.` }));
    expect(result.text).toBe('The color card is [REDACTED] too.');
    expect(changes.find(({ stage }) => stage === 'processOutputStream')).toMatchObject({
      violations: [{ rule: 'card' }],
    });
    expect(changes.find(({ entry }) => entry === 'speller')).toBeDefined();
    expect(text).not.toContain('4111');
  });

  test('A secret of the input that only the last stage of the output masks is in no recorded text', async () => {
    const name = await agent('recorded-late', { input: ['speller'], output: ['pii'], ...record });
    const { changes, text } = await readChanges(name, `${PROMPT} ${script({ text: 'Noted.' })}`);
    expect(changes.find(({ entry }) => entry === 'speller')).toMatchObject({ before: expect.any(Array) });
    expect(text).not.toContain('4111');
  });

  test('A blocked text is recorded by its rule, without a word of it', async () => {
    const name = await agent('recorded-blocked', { input: ['speller', blocking], ...record });
    const { result, changes, text } = await readChanges(name, 'The colour Falcon flies.');
    expect(result.status).toBe('aborted');
    expect(changes.at(-1)).toMatchObject({ entry: 'regex-filter', verdict: 'abort', violations: [{ count: 1 }] });
    expect(changes.at(-1)).not.toHaveProperty('before');
    for (const word of ['colour', 'color', 'flies', 'Falcon']) expect(text).not.toContain(`"${word}`);
    expect(text).not.toMatch(/"text":/);
  });

  test.each([
    ['a processor answers in place of the model', { input: ['speller', 'halting'] }],
    ['an entry changes the prompt of the model later', { input: ['speller', 'prompt-masker'] }],
  ])('No text is recorded if %s', async (what, lists) => {
    const name = await agent(`recorded-${what.length}`, { ...lists, ...record });
    const { changes, text } = await readChanges(name, `A colour. ${script({ text: 'Hi.' })}`);
    expect(changes.find(({ entry }) => entry === 'speller')).toMatchObject({
      before: [{ masked: expect.any(Number) }],
    });
    expect(text).not.toMatch(/"text":/);
  });

  test('Without the option nothing is recorded', async () => {
    const name = await agent('recorded-off', { input: ['speller', 'pii'] });
    expect((await readChanges(name, PROMPT)).changes).toEqual([]);
  });

  test('A caller without the rights of an operator is refused', async () => {
    const { result } = await readChanges(masked, PROMPT);
    const caller = await connect({ url: stack.url, subject: 'recorded' });
    try {
      await expect(caller.runs.changes(result.runId)).rejects.toMatchObject({ code: 'run-unknown' });
    } finally {
      await caller.close();
    }
  });

  test('The command prints each change with its masks', async () => {
    const { result } = await readChanges(masked, PROMPT);
    const printed = await millrace(['runs', 'changes', result.runId], { env: { NATS_URL: stack.url } });
    expect(printed).toMatchObject({ code: 0, stdout: expect.stringContaining('My color card is [REDACTED] here.') });
    expect(printed.stdout).toContain('▒▒▒(19)');
  });
});
