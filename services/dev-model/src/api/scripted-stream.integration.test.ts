// Scripts through the provider's real client over both APIs.
import { describe, expect, test } from 'vitest';
import {
  apis,
  listDeltas,
  startDevModelUnderTest,
  findPart,
  collectParts,
  makeScriptedCall,
} from '../testing/dev-model-under-test.ts';

const { openai, lines } = await startDevModelUnderTest();

describe.each(apis)('a scripted stream over %s', (api) => {
  const model = openai[api]('gpt-5-mini');
  const stream = async (elements: readonly unknown[], n = 1) =>
    collectParts((await model.doStream(makeScriptedCall(elements, n))).stream);

  test('deltas have chunkSize code points and never split a surrogate pair', async () => {
    const parts = await stream([{ text: 'ab😀cd😀e', chunkSize: 3 }]);
    expect(listDeltas(parts, 'text-delta')).toEqual(['ab😀', 'cd😀', 'e']);
    expect(findPart(parts, 'finish').finishReason.unified).toBe('stop');
  });

  test('deltas have 16 code points by default', async () => {
    const parts = await stream([{ text: 'x'.repeat(40) }]);
    expect(listDeltas(parts, 'text-delta').map((delta) => delta.length)).toEqual([16, 16, 8]);
  });

  test('the stream calls tools with the scripted arguments, after the text and in pieces', async () => {
    const calls = [
      { name: 'calculator', args: { expression: '1 + 1' } },
      { name: 'unknown-tool', args: {} },
    ];
    const parts = await stream([{ text: 'Let me see.', toolCalls: calls, chunkSize: 4 }]);
    const made = parts.filter((part) => part.type === 'tool-call');
    expect(made.map(({ toolName, input }) => [toolName, input])).toEqual([
      ['calculator', '{"expression":"1 + 1"}'],
      ['unknown-tool', '{}'],
    ]);
    expect(new Set(made.map(({ toolCallId }) => toolCallId)).size).toBe(2);
    expect(listDeltas(parts, 'tool-input-delta').join('')).toBe('{"expression":"1 + 1"}{}');
    expect(listDeltas(parts, 'tool-input-delta').length).toBeGreaterThan(2);
    expect(listDeltas(parts, 'text-delta').join('')).toBe('Let me see.');
    expect(findPart(parts, 'finish').finishReason.unified).toBe('tool-calls');
  });

  test('a string of arguments is sent unchanged, so that a test can send arguments that are not JSON', async () => {
    // The chat client repairs nothing: invalid arguments arrive unchanged.
    const parts = await stream([{ toolCalls: [{ name: 'calculator', args: '{"expression": ' }] }]);
    expect(listDeltas(parts, 'tool-input-delta').join('')).toBe('{"expression": ');
  });

  test('the stream counts input and output tokens', async () => {
    const { usage } = findPart(await stream([{ text: 'x'.repeat(40) }]), 'finish');
    expect(usage.outputTokens.total).toBe(10);
    expect(usage.inputTokens.total).toBeGreaterThan(5);
  });

  test('call n receives element n, and every call after the last element receives "done"', async () => {
    const script = [{ text: 'first' }, { text: 'second' }];
    const texts = await Promise.all(
      [1, 2, 3, 9].map(async (n) => listDeltas(await stream(script, n), 'text-delta').join('')),
    );
    expect(texts).toEqual(['first', 'second', 'done', 'done']);
  });

  test('an empty element ends the stream at once', async () => {
    const parts = await stream([{}]);
    expect(listDeltas(parts, 'text-delta').join('')).toBe('');
    expect(findPart(parts, 'finish').finishReason.unified).toBe('stop');
  });

  test('the stream waits at least delayMs between deltas', async () => {
    const begun = performance.now();
    await stream([{ text: 'abcdef', chunkSize: 1, delayMs: 20 }]);
    expect(performance.now() - begun).toBeGreaterThanOrEqual(95);
  });

  test('the stream sends the deltas of a burst in one write, and waits only between bursts', async () => {
    const begun = performance.now();
    const parts = await stream([{ text: 'abcdef', chunkSize: 1, delayMs: 60, burst: 3 }]);
    const elapsed = performance.now() - begun;
    expect(listDeltas(parts, 'text-delta').join('')).toBe('abcdef');
    expect(elapsed).toBeGreaterThanOrEqual(55);
    // Five pauses, one for each delta, would take 300 ms.
    expect(elapsed).toBeLessThan(290);
  });

  test('a call without streaming receives the whole scripted text', async () => {
    const { content, finishReason, usage } = await model.doGenerate(
      makeScriptedCall([{ text: 'Let me see.', toolCalls: [{ name: 'clock' }] }]),
    );
    expect(content.map((part) => (part.type === 'text' ? part.text : part.type))).toEqual(['Let me see.', 'tool-call']);
    expect(finishReason.unified).toBe('tool-calls');
    expect(usage.outputTokens.total).toBe(5);
  });

  test('the token limit cuts the stream with finish reason length', async () => {
    const call = {
      ...makeScriptedCall([{ text: 'x'.repeat(400), toolCalls: [{ name: 'clock' }] }]),
      maxOutputTokens: 10,
    };
    const parts = await collectParts((await model.doStream(call)).stream);
    expect(listDeltas(parts, 'text-delta').join('')).toHaveLength(40);
    expect(findPart(parts, 'finish').finishReason.unified).toBe('length');
    expect((await model.doGenerate(call)).finishReason.unified).toBe('length');
  });

  test('a call without the header ignores the script', async () => {
    const { prompt } = makeScriptedCall([{ text: 'scripted' }]);
    const { content } = await model.doGenerate({ prompt });
    const text = content.map((part) => (part.type === 'text' ? part.text : '')).join('');
    expect(text).toContain('development stand-in');
    expect(text).not.toContain('script\n');
  });
});

test('the log never contains texts of the conversation', () => {
  expect(lines.length).toBeGreaterThan(0);
  expect(JSON.stringify(lines)).not.toMatch(/Let me see|scripted\b.*fence|as scripted/);
});
