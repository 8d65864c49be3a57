import type { Chunk, JsonObject } from '@millrace/contracts';
import { streamedText, TEST_RUN, textChunks } from '@millrace/testkit';
import { describe, expect, test } from 'vitest';
import { holdBack, type TextFilter } from './hold-back.ts';

/** Redacts "secret", and knows how much of its beginning may still become one. */
const filter: TextFilter = {
  settled(text) {
    const word = 'secret';
    for (let length = Math.min(word.length - 1, text.length); length > 0; length--) {
      if (text.endsWith(word.slice(0, length))) return text.length - length;
    }
    return text.length;
  },
  apply: (text) => text.replaceAll('secret', '***'),
};
const through = (chunks: Chunk[], held: JsonObject = {}) => chunks.flatMap((chunk) => holdBack(chunk, held, filter));
const base = { runId: TEST_RUN.runId, from: 'AGENT' as const };

test('however a text is cut, the deltas joined are the filter of the whole text', () => {
  const text = 'a secret, a sec, ssecret secretsecret sesecret se';
  for (let first = 0; first <= text.length; first++) {
    for (let second = first; second <= text.length; second += 3) {
      const deltas = [text.slice(0, first), text.slice(first, second), text.slice(second)];
      expect(streamedText(through(textChunks(deltas)))).toBe(filter.apply(text));
    }
  }
  expect(streamedText(through(textChunks(text.split(''))))).toBe(filter.apply(text));
});

test('what is settled goes at once, what may continue waits, and the end lets it go before itself', () => {
  const held: JsonObject = {};
  const [start, delta, end] = textChunks(['hello sec']);
  if (!start || !delta || !end) throw new Error('three were made');
  expect(streamedText(holdBack(delta, held, filter))).toBe('hello ');
  expect(JSON.parse(JSON.stringify(held))).toEqual(held);
  expect(holdBack(end, held, filter).map(({ type }) => type)).toEqual(['text-delta', 'text-end']);
  expect(held).toEqual({});
});

test('nothing empty is sent', () => {
  expect(through(textChunks(['se', 'cr', ''])).map(({ type }) => type)).toEqual([
    'text-start',
    'text-delta',
    'text-end',
  ]);
});

test('parts are held apart: by id, and by what they are', () => {
  const one = textChunks(['sec', 'ond'], 'one');
  const two = textChunks(['sec', 'ret'], 'two');
  const mixed = one.flatMap((chunk, at) => [chunk, two[at] ?? chunk]);
  const out = through(mixed);
  const of = (id: string) =>
    streamedText(out.filter((chunk) => chunk.type === 'text-delta' && chunk.payload.id === id));
  expect([of('one'), of('two')]).toEqual(['second', '***']);
});

test('reasoning and tool arguments are held back too', () => {
  const out = through([
    { type: 'reasoning-delta', ...base, payload: { id: 'x', text: 'my sec' } },
    { type: 'text-delta', ...base, payload: { id: 'x', text: 'ret' } },
    { type: 'reasoning-delta', ...base, payload: { id: 'x', text: 'ret' } },
    { type: 'reasoning-end', ...base, payload: { id: 'x' } },
    { type: 'tool-call-delta', ...base, payload: { toolCallId: 'x', argsTextDelta: '{"a":"sec' } },
    { type: 'tool-call-delta', ...base, payload: { toolCallId: 'x', argsTextDelta: 'ret"}' } },
    { type: 'tool-call-input-streaming-end', ...base, payload: { toolCallId: 'x' } },
  ]);
  const texts = out.map((chunk) => {
    if (chunk.type === 'tool-call-delta') return chunk.payload.argsTextDelta;
    return chunk.type === 'text-delta' || chunk.type === 'reasoning-delta' ? chunk.payload.text : chunk.type;
  });
  expect(texts).toEqual(['my ', 'ret', '***', 'reasoning-end', '{"a":"', '***"}', 'tool-call-input-streaming-end']);
});

describe('a text that may not pass', () => {
  test('stops at the end of its part at the latest', () => {
    const blocking: TextFilter = {
      ...filter,
      apply: (text) => {
        if (text.includes('sec')) throw new Error('blocked');
        return text;
      },
    };
    const held: JsonObject = {};
    const chunks = textChunks(['a sec']);
    expect(() => chunks.flatMap((chunk) => holdBack(chunk, held, blocking))).toThrow('blocked');
  });
});

test('other chunks pass as they are', () => {
  const finish: Chunk = { type: 'step-finish', ...base, payload: { stepResult: { reason: 'stop' }, output: {} } };
  expect(holdBack(finish, {}, filter)).toEqual([finish]);
});
