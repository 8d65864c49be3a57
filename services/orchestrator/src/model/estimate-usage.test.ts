import { expect, test } from 'vitest';
import { lookTool } from '../testing/look-tool.ts';
import { estimateUsage } from './call-meter.ts';

const saying = (...content: object[]) => [{ role: 'user' as const, content }];

test('a call is estimated from the sent and the received text, and marked as estimated', () => {
  const tools = [lookTool()];
  const { inputTokens = 0, ...rest } = estimateUsage(
    { prompt: saying({ type: 'text', text: 'a'.repeat(400) }), tools: [] },
    41,
  );
  expect(rest).toEqual({ outputTokens: 11, totalTokens: inputTokens + 11, estimated: true });
  expect(inputTokens).toBeGreaterThan(100);
  const withTools = estimateUsage({ prompt: saying({ type: 'text', text: 'a'.repeat(400) }), tools }, 41);
  expect(withTools.inputTokens).toBeGreaterThan(inputTokens);
});

test('a file counts as a fixed amount of text, whatever its size', () => {
  const data = 'A'.repeat(4_000_000);
  const { inputTokens } = estimateUsage(
    { prompt: saying({ type: 'file', mediaType: 'image/png', data }), tools: [] },
    0,
  );
  expect(inputTokens).toBeLessThan(1_200);
});
