import type { Prompt } from '@millrace/contracts';
import { describe, expect, test } from 'vitest';
import { createAnswerBuilder } from './answer-builder.ts';
import { buildReasoningPart, createReasoningSealer, keepSealed } from './reasoning-seal.ts';

const MODEL = 'openai/gpt-5';
const openai = (members: object) => ({ openai: { ...members } });
type Texts = readonly { item?: string; text: string }[];

/** Returns the prompt parts of an answer whose items the provider signs at each end. */
function answer(texts: Texts) {
  const sealer = createReasoningSealer(MODEL);
  const builder = createAnswerBuilder('run-1.0');
  for (const [at, { item, text }] of texts.entries()) {
    const id = `part-${at}`;
    sealer.addText(id, item ?? id, text);
    const metadata = openai({ ...(item && { itemId: item }), reasoningEncryptedContent: `sealed ${at}` });
    const providerMetadata = sealer.seal(item ?? id, metadata);
    const base = { runId: 'run-1', from: 'AGENT' as const };
    builder.add({ ...base, type: 'reasoning-delta', payload: { id, text } });
    builder.add({ ...base, type: 'reasoning-end', payload: { id, providerMetadata } });
  }
  return builder
    .buildMessage()
    .content.parts.flatMap((part) => (part.type === 'reasoning' ? buildReasoningPart(part) : []));
}
type Part = { type: string; text: string };
const appendText = (parts: readonly Part[]): Prompt => [
  { role: 'assistant', content: [...parts, { type: 'text', text: 'Yes.' }] },
];
const listKept = (prompt: Prompt, model = MODEL): string[] => {
  const content = keepSealed(prompt, model)[0]?.['content'];
  const parts: Part[] = Array.isArray(content) ? content : [];
  expect(JSON.stringify(parts)).not.toContain('digest');
  return parts.flatMap(({ type, text }) => (type === 'reasoning' ? [text] : []));
};

describe('The reasoning of a prompt', () => {
  const two = [
    { item: 'rs_1', text: 'a' },
    { item: 'rs_1', text: 'b' },
    { item: 'rs_2', text: 'c' },
  ];

  test('is sent if nothing has changed it, with the parts of an item together', () => {
    expect(listKept(appendText(answer(two)))).toEqual(['a', 'b', 'c']);
    expect(listKept(appendText(answer([{ text: 'a' }, { text: 'b' }])))).toEqual(['a', 'b']);
  });

  test('is not sent to another model', () => {
    expect(listKept(appendText(answer(two)), 'openai/gpt-5-mini')).toEqual([]);
  });

  test.each([0, 1])('is dropped with all parts of its item if part %i has changed, or is missing', (at) => {
    const parts = answer(two);
    const changed = parts.map((part, n) => (n === at ? { ...part, text: 'x' } : part));
    expect(listKept(appendText(changed))).toEqual(['c']);
    expect(listKept(appendText(parts.filter((_, n) => n !== at)))).toEqual(['c']);
  });

  test('is dropped if its parts have another order', () => {
    const [first, second, third] = answer(two);
    expect(listKept(appendText([second, first, third].flatMap((part) => part ?? [])))).toEqual(['c']);
  });

  test('is dropped if nothing follows it in its message', () => {
    const call = { type: 'tool-call', toolCallId: 'c', toolName: 't', input: {} };
    expect(listKept([{ role: 'assistant', content: [call, ...answer(two)] }])).toEqual([]);
  });

  test('is dropped with its message if the message has no other part', () => {
    const user = { role: 'user', content: [{ type: 'text', text: 'Hi.' }] } as const;
    expect(keepSealed([user, { role: 'assistant', content: answer(two) }], MODEL)).toEqual([user]);
  });

  test('has no part if the provider has not signed it', () => {
    expect(buildReasoningPart({ type: 'reasoning', reasoning: 'a' })).toEqual([]);
    expect(createReasoningSealer(MODEL).seal('rs_1', openai({ itemId: 'rs_1' }))).toEqual(openai({ itemId: 'rs_1' }));
  });
});

const PARTS = 1_024;
/** Returns the processor time for an answer of a megabyte, in parts that the provider signs. */
function measureSealing(nameItem: (at: number) => string): number {
  const sealer = createReasoningSealer(MODEL);
  const before = process.cpuUsage();
  for (let at = 0; at < PARTS; at += 1) {
    sealer.addText(`part-${at}`, nameItem(at), `${at}`.padEnd(1_024, 'x'));
    sealer.seal(nameItem(at), openai({ reasoningEncryptedContent: 'sealed' }));
  }
  const { user, system } = process.cpuUsage(before);
  return user + system;
}

test('A seal of one item for 1,024 parts costs at most 40 times the processor time of 1,024 items', () => {
  const ratios = Array.from({ length: 3 }, () => measureSealing(() => 'rs') / measureSealing((at) => `rs_${at}`));
  expect(Math.min(...ratios)).toBeLessThan(40);
});
