import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { learnShape, rememberShape } from './delta-shape.ts';
import { readChatDelta, readResponsesDelta, type ReadDelta } from './plain-delta.ts';

const texts = fc.oneof(
  fc.string({ minLength: 1 }),
  fc.string({ unit: 'grapheme', minLength: 1 }),
  fc.constantFrom('"content":"x"', '"delta":"', 'a\\', '\n', '"}', '\u2028', '"obfuscation":"', '{"content":"a"}'),
);
const padding = fc.option(fc.string(), { nil: undefined });
const ids = fc.constantFrom('c1', 'c2', '"content":"a"', 'delta');
const chatEvents = fc
  .record({ text: texts, id: ids, padding, index: fc.nat(2) })
  .map(({ text, id, padding: more, index }) => ({
    id,
    object: 'chat.completion.chunk',
    created: 1,
    model: 'm',
    choices: [{ index, delta: { content: text }, logprobs: null, finish_reason: null }],
    usage: null,
    obfuscation: more,
  }));
const responsesEvents = fc
  .record({ text: texts, id: ids, padding, place: fc.nat() })
  .map(({ text, id, padding: more, place }) => ({
    type: 'response.output_text.delta',
    sequence_number: place,
    item_id: id,
    output_index: 0,
    content_index: 0,
    delta: text,
    logprobs: [],
    obfuscation: more,
  }));
const breaks = fc.constantFrom(
  (data: string) => data,
  (data: string) => data,
  (data: string) => data,
  (data: string) => data.slice(0, -1),
  (data: string) => `${data} `,
  (data: string) => data.replace('"delta":', '"delta" :'),
  (data: string) => data.replace('"content":', '"c\\u006fntent":'),
  (data: string) => data.replace('null', '"stop"'),
  (data: string) => data.replace(/"sequence_number":\d+/, '"sequence_number":007'),
  (data: string) => data.replace('"m"', '"m","tool_calls":[1]'),
  (data: string) => data.replace('}', ',"content":"other"}'),
);
const arbitraryStream = (events: fc.Arbitrary<object>) =>
  fc.array(
    fc.tuple(events, breaks).map(([event, change]) => change(JSON.stringify(event))),
    { minLength: 2, maxLength: 12 },
  );

const describeDelta = (read: ReadDelta, data: string) => {
  const delta = read(data);
  return delta && { key: delta.key, text: delta.text, event: JSON.parse(delta.withText('other')) as unknown };
};

describe('a reader that remembers the shape of deltas', () => {
  test.each([
    ['chat completions', readChatDelta, arbitraryStream(chatEvents)],
    ['responses', readResponsesDelta, arbitraryStream(responsesEvents)],
  ] as const)('reads each event of %s as a reader that parses it', (_, read, streams) => {
    fc.assert(
      fc.property(streams, (events) => {
        const remembering = rememberShape(read);
        for (const data of events) expect(describeDelta(remembering, data)).toEqual(describeDelta(read, data));
      }),
      { numRuns: 1_000 },
    );
  });

  test('A delta of the JSON of the one before is not parsed', () => {
    const write = (content: string, obfuscation: string) =>
      JSON.stringify({ id: 'c', created: 1, model: 'm', choices: [{ index: 0, delta: { content } }], obfuscation });
    const events = [write('one', 'x'), write(' two', 'xyz'), write(' three', '')];
    let parsed = 0;
    const read = rememberShape((data) => {
      if (events.includes(data)) parsed += 1;
      return readChatDelta(data);
    });
    const read3 = events.map((data) => read(data)?.text);
    expect([read3, parsed]).toEqual([['one', ' two', ' three'], 1]);
  });

  test.each([
    ['{"choices":[{"index":0,"delta":{"content":"a","content" :"a"}}]}', readChatDelta],
    ['{"choices":[{"index":0,"delta":{"content":"a","c\\u006fntent":"a"}}]}', readChatDelta],
    ['{"id":{"content":"a"},"choices":[{"index":0,"delta":{"content": "a"}}]}', readChatDelta],
    ['{"type":"response.output_text.delta","item_id":{"sequence_number":1},"delta":"a"}', readResponsesDelta],
    ['{"type":"response.output_text.delta","item_id":{"content":"a"},"delta": "a"}', readResponsesDelta],
  ] as const)('The event %s has no shape, because its values are not all of its text and its numbers', (data, read) => {
    const delta = read(data);
    expect(delta?.text).toBe('a');
    expect(delta && learnShape(data, delta, read)).toBeUndefined();
  });

  test.each([
    ['{"choices":[{"index":0,"delta":{"content": "probe"}}],"system_fingerprint":{"content":"probe"}}', readChatDelta],
    ['{"id":{"sequence_number":7},"choices":[{"index":0,"delta":{"content":"a"}}]}', readChatDelta],
    ['{"id":{"obfuscation":"padding"},"choices":[{"index":0,"delta":{"content":"a"}}]}', readChatDelta],
  ] as const)('The event %s has no shape, whatever its values are', (data, read) => {
    const delta = read(data);
    expect(delta).toBeDefined();
    expect(delta && learnShape(data, delta, read)).toBeUndefined();
  });

  test('An event with an object as its id is read without an exception, which would end the process', () => {
    const id = { toString: 1, valueOf: 1 };
    const chat = { id, created: 1, model: 'm', choices: [{ index: 0, delta: { content: 'b' } }] };
    const responses = {
      type: 'response.output_text.delta',
      item_id: id,
      output_index: 0,
      content_index: 0,
      delta: 'b',
    };
    expect([readChatDelta(JSON.stringify(chat))?.text, readResponsesDelta(JSON.stringify(responses))?.text]).toEqual([
      'b',
      'b',
    ]);
  });

  test('An event in which two members may hold the text has no shape', () => {
    const data = '{"content":"a","x":{"content":"a"}}';
    expect(learnShape(data, { key: 'k', text: 'a', withText: () => data }, readChatDelta)).toBeUndefined();
  });
});
