// Scripts through the provider's real client, the same over both APIs.
import { describe, expect, test } from 'vitest';
import { apis, deltasOf, devModelUnderTest, partOf, partsOf, scripted } from '../testing/dev-model-under-test.ts';

const { openai, lines } = await devModelUnderTest();

describe.each(apis)('a scripted stream over %s', (api) => {
  const model = openai[api]('gpt-5-mini');
  const stream = async (elements: readonly unknown[], n = 1) =>
    partsOf((await model.doStream(scripted(elements, n))).stream);

  test('comes in deltas of chunkSize code points, and never parts a surrogate pair', async () => {
    const parts = await stream([{ text: 'ab😀cd😀e', chunkSize: 3 }]);
    expect(deltasOf(parts, 'text-delta')).toEqual(['ab😀', 'cd😀', 'e']);
    expect(partOf(parts, 'finish').finishReason.unified).toBe('stop');
  });

  test('has 16 code points per delta where the script does not say', async () => {
    const parts = await stream([{ text: 'x'.repeat(40) }]);
    expect(deltasOf(parts, 'text-delta').map((delta) => delta.length)).toEqual([16, 16, 8]);
  });

  test('calls tools with the scripted arguments, after the text, streamed in pieces', async () => {
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
    expect(deltasOf(parts, 'tool-input-delta').join('')).toBe('{"expression":"1 + 1"}{}');
    expect(deltasOf(parts, 'tool-input-delta').length).toBeGreaterThan(2);
    expect(deltasOf(parts, 'text-delta').join('')).toBe('Let me see.');
    expect(partOf(parts, 'finish').finishReason.unified).toBe('tool-calls');
  });

  test('sends a string of arguments as it stands, so that a test can have arguments that are not JSON', async () => {
    // The chat client repairs nothing either: what is broken arrives broken.
    const parts = await stream([{ toolCalls: [{ name: 'calculator', args: '{"expression": ' }] }]);
    expect(deltasOf(parts, 'tool-input-delta').join('')).toBe('{"expression": ');
  });

  test('counts tokens in and out', async () => {
    const { usage } = partOf(await stream([{ text: 'x'.repeat(40) }]), 'finish');
    expect(usage.outputTokens.total).toBe(10);
    expect(usage.inputTokens.total).toBeGreaterThan(5);
  });

  test('answers call n with element n, and every call past the end with "done"', async () => {
    const script = [{ text: 'first' }, { text: 'second' }];
    const texts = await Promise.all(
      [1, 2, 3, 9].map(async (n) => deltasOf(await stream(script, n), 'text-delta').join('')),
    );
    expect(texts).toEqual(['first', 'second', 'done', 'done']);
  });

  test('ends at once with an empty element', async () => {
    const parts = await stream([{}]);
    expect(deltasOf(parts, 'text-delta').join('')).toBe('');
    expect(partOf(parts, 'finish').finishReason.unified).toBe('stop');
  });

  test('takes at least delayMs between deltas', async () => {
    const begun = performance.now();
    await stream([{ text: 'abcdef', chunkSize: 1, delayMs: 20 }]);
    expect(performance.now() - begun).toBeGreaterThanOrEqual(95);
  });

  test('is said whole to a caller who does not stream', async () => {
    const { content, finishReason, usage } = await model.doGenerate(
      scripted([{ text: 'Let me see.', toolCalls: [{ name: 'clock' }] }]),
    );
    expect(content.map((part) => (part.type === 'text' ? part.text : part.type))).toEqual(['Let me see.', 'tool-call']);
    expect(finishReason.unified).toBe('tool-calls');
    expect(usage.outputTokens.total).toBe(5);
  });

  test('is cut at the greatest number of tokens, with finish reason length', async () => {
    const call = { ...scripted([{ text: 'x'.repeat(400), toolCalls: [{ name: 'clock' }] }]), maxOutputTokens: 10 };
    const parts = await partsOf((await model.doStream(call)).stream);
    expect(deltasOf(parts, 'text-delta').join('')).toHaveLength(40);
    expect(partOf(parts, 'finish').finishReason.unified).toBe('length');
    expect((await model.doGenerate(call)).finishReason.unified).toBe('length');
  });

  test('is ignored in a call without the header', async () => {
    const { prompt } = scripted([{ text: 'scripted' }]);
    const { content } = await model.doGenerate({ prompt });
    const text = content.map((part) => (part.type === 'text' ? part.text : '')).join('');
    expect(text).toContain('development stand-in');
    expect(text).not.toContain('script\n');
  });
});

test('never writes what was said into the log', () => {
  expect(lines.length).toBeGreaterThan(0);
  expect(JSON.stringify(lines)).not.toMatch(/Let me see|scripted\b.*fence|as scripted/);
});
