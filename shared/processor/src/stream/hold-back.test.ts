import type { Chunk, JsonObject } from '@millrace/contracts';
import { streamedText, TEST_RUN, textChunks } from '@millrace/testkit';
import { describe, expect, test } from 'vitest';
import { holdBack, type TextFilter } from './hold-back.ts';

/** Redacts "secret" and computes the length of a possible beginning of it at the end. */
const filter: TextFilter = {
  countSettled(text) {
    const word = 'secret';
    for (let length = Math.min(word.length - 1, text.length); length > 0; length--) {
      if (text.endsWith(word.slice(0, length))) return text.length - length;
    }
    return text.length;
  },
  apply: (text) => text.replaceAll('secret', '***'),
};
const passChunks = (chunks: Chunk[], held: JsonObject = {}) => chunks.flatMap((chunk) => holdBack(chunk, held, filter));
const base = { runId: TEST_RUN.runId, from: 'AGENT' as const };

test('For every way to cut a text, the joined deltas equal the filter of the whole text', () => {
  const text = 'a secret, a sec, ssecret secretsecret sesecret se';
  for (let first = 0; first <= text.length; first++) {
    for (let second = first; second <= text.length; second += 3) {
      const deltas = [text.slice(0, first), text.slice(first, second), text.slice(second)];
      expect(streamedText(passChunks(textChunks(deltas)))).toBe(filter.apply(text));
    }
  }
  expect(streamedText(passChunks(textChunks(text.split(''))))).toBe(filter.apply(text));
});

test('holdBack sends decided text at once, and undecided text before the part’s end', () => {
  const held: JsonObject = {};
  const [start, delta, end] = textChunks(['hello sec']);
  if (!start || !delta || !end) throw new Error('three were made');
  expect(streamedText(holdBack(delta, held, filter))).toBe('hello ');
  expect(JSON.parse(JSON.stringify(held))).toEqual(held);
  expect(holdBack(end, held, filter).map(({ type }) => type)).toEqual(['text-delta', 'text-end']);
  expect(held).toEqual({});
});

test('holdBack sends no empty delta', () => {
  expect(passChunks(textChunks(['se', 'cr', ''])).map(({ type }) => type)).toEqual([
    'text-start',
    'text-delta',
    'text-end',
  ]);
});

test('holdBack separates parts by id and kind', () => {
  const one = textChunks(['sec', 'ond'], 'one');
  const two = textChunks(['sec', 'ret'], 'two');
  const mixed = one.flatMap((chunk, at) => [chunk, two[at] ?? chunk]);
  const out = passChunks(mixed);
  const buildParts = (id: string) =>
    streamedText(out.filter((chunk) => chunk.type === 'text-delta' && chunk.payload.id === id));
  expect([buildParts('one'), buildParts('two')]).toEqual(['second', '***']);
});

test('holdBack applies to reasoning and tool arguments', () => {
  const out = passChunks([
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

describe('a part that was cut off', () => {
  const text = 'a secret, a sec, ssecret secretsecret sesecret se';
  const cutEnd: Chunk = { type: 'text-end', ...base, payload: { id: 'text-1', complete: false } };
  const stepFinish: Chunk = { type: 'step-finish', ...base, payload: { stepResult: { reason: 'length' }, output: {} } };
  /** Returns only the deltas: the test adds the end. */
  const openDeltas = (cut: string, size: number) => {
    const pieces = Array.from({ length: Math.ceil(cut.length / size) }, (_, at) =>
      cut.slice(at * size, (at + 1) * size),
    );
    return textChunks(pieces).slice(0, -1);
  };

  test.each([1, 2, 5, 64])('At every cut, no undecided text is sent: deltas of %i', (size) => {
    for (let length = 0; length <= text.length; length++) {
      const cut = text.slice(0, length);
      const decided = filter.apply(cut.slice(0, filter.countSettled(cut, {})));
      for (const end of [cutEnd, stepFinish]) {
        const held: JsonObject = {};
        const out = passChunks([...openDeltas(cut, size), end], held);
        expect(streamedText(out)).toBe(decided);
        // The filtered whole text starts with the sent text for every continuation.
        for (const more of ['', 'ret', 'cret', 'ecret', ' x'])
          expect(filter.apply(cut + more).startsWith(decided)).toBe(true);
        expect(held).toEqual({});
        expect(out.at(-1)).toEqual(end);
      }
    }
  });

  test.each([
    [
      'reasoning',
      { type: 'reasoning-delta', ...base, payload: { id: 'x', text: 'sec' } },
      'reasoning-end',
      { id: 'x' },
    ],
    [
      'tool arguments',
      { type: 'tool-call-delta', ...base, payload: { toolCallId: 'x', argsTextDelta: 'sec' } },
      'tool-call-input-streaming-end',
      { toolCallId: 'x' },
    ],
  ] as const)('A cut-off part drops undecided text of %s too', (_what, delta, type, id) => {
    const end = JSON.parse(JSON.stringify({ type, ...base, payload: { ...id, complete: false } }));
    expect(passChunks([delta, end])).toEqual([end]);
  });

  test('A cut-off part does not affect the other parts', () => {
    const held: JsonObject = {};
    passChunks([...openDeltas('sec', 3), ...textChunks(['sec'], 'other').slice(0, -1), cutEnd], held);
    expect(streamedText(passChunks(textChunks(['ret'], 'other').slice(1), held))).toBe('***');
  });

  test('A cut-off part leaves no text for a part of the same id in the next step', () => {
    const held: JsonObject = {};
    passChunks([...openDeltas('sec', 3), stepFinish], held);
    expect(streamedText(passChunks(textChunks(['ret']), held))).toBe('ret');
  });
});

describe('rejected text', () => {
  test('A rejected text stops at the end of its part at the latest', () => {
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

test('holdBack passes other chunks unchanged', () => {
  const finish: Chunk = { type: 'step-finish', ...base, payload: { stepResult: { reason: 'stop' }, output: {} } };
  expect(holdBack(finish, {}, filter)).toEqual([finish]);
});

describe('texts that readers join', () => {
  /** Masks the rest of a "secret" that began before `known`. */
  const joining: TextFilter = {
    ...filter,
    applyAfter(text, known) {
      const at = text.lastIndexOf('secret', known);
      const isAcross = at >= 0 && at < known && at + 6 > known;
      return isAcross ? `***${filter.apply(text.slice(at + 6))}` : filter.apply(text.slice(known));
    },
  };
  const pass = (chunks: Chunk[], held: JsonObject) =>
    streamedText(chunks.flatMap((chunk) => holdBack(chunk, held, joining)));
  const stepStart = (messageId: string): Chunk => ({ type: 'step-start', ...base, payload: { messageId } });
  const stepFinish: Chunk = { type: 'step-finish', ...base, payload: { stepResult: { reason: 'stop' }, output: {} } };

  test('A part is judged with the end of the preceding part, also across a step', () => {
    const held: JsonObject = {};
    expect(pass([stepStart('m0'), ...textChunks(['a sec']), stepFinish], held)).toBe('a sec');
    expect(pass([stepStart('m1'), ...textChunks([], 'empty'), ...textChunks(['ret b'])], held)).toBe('*** b');
    expect(JSON.parse(JSON.stringify(held))).toEqual(held);
  });

  test('A repeated step, also the first one, is judged with the end before the rejected one', () => {
    const held: JsonObject = {};
    expect(pass([stepStart('m0'), ...textChunks(['a sec']), stepFinish], held)).toBe('a sec');
    expect(pass([stepStart('m0'), ...textChunks(['return']), stepFinish], held)).toBe('return');
    expect(pass([stepStart('m1'), ...textChunks(['a sec']), stepFinish], held)).toBe('a sec');
    expect(pass([stepStart('m2'), ...textChunks(['plain']), stepFinish], held)).toBe('plain');
    expect(pass([stepStart('m2'), ...textChunks(['ret b']), stepFinish], held)).toBe('*** b');
  });

  test('The end of a run ends the text', () => {
    const held: JsonObject = {};
    const finish: Chunk = {
      type: 'finish',
      ...base,
      payload: { stepResult: { reason: 'stop' }, output: {}, messages: [] },
    };
    expect(pass([stepStart('m0'), ...textChunks(['a sec']), finish, ...textChunks(['ret'])], held)).toBe('a secret');
    expect(held).not.toHaveProperty('text text-1');
  });

  test('Text that an older version has buffered is released at the end of its part', () => {
    const [, delta, end] = textChunks(['sec']);
    if (!delta || !end) throw new Error('three were made');
    const held: JsonObject = JSON.parse(JSON.stringify({ 'text text-1': { text: 'sec', last: delta, noted: {} } }));
    expect(pass([end], held)).toBe('sec');
  });
});
