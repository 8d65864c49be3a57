import { describe, expect, test } from 'vitest';
import { parseEmbedderId, parseModelId } from './model-id.ts';

describe('model ids', () => {
  test('the prefix decides between responses and chat completions', () => {
    expect(parseModelId('openai/gpt-5-mini')).toEqual({ api: 'responses', name: 'gpt-5-mini' });
    expect(parseModelId('openai-chat/gpt-5-mini')).toEqual({ api: 'chat', name: 'gpt-5-mini' });
  });

  test('a model name may hold slashes', () => {
    expect(parseModelId('openai-chat/meta/llama-3')).toEqual({ api: 'chat', name: 'meta/llama-3' });
  });

  test.each(['gpt-5-mini', 'openai/', '/gpt', '', 'anthropic/claude', '__proto__/x', 'constructor/x'])(
    '"%s" is unknown, and the error names the valid forms',
    (id) => {
      expect(() => parseModelId(id)).toThrow(
        expect.objectContaining({ code: 'model-unknown', remedy: expect.stringContaining('openai/<id>') }),
      );
    },
  );

  test('an embedder has one API only', () => {
    expect(parseEmbedderId('openai/text-embedding-3-small')).toBe('text-embedding-3-small');
    expect(() => parseEmbedderId('openai-chat/x')).toThrow(expect.objectContaining({ code: 'model-unknown' }));
  });
});
