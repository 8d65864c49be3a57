import { buildConversation, textChunks } from '@millrace/testkit';
import { describe, expect, test } from 'vitest';
import { contentFilter } from './content-filter.ts';
import { callExample, streamExample } from './testing/example-calls.ts';

const options = { blockedWords: ['Secret'] };

describe('content-filter', () => {
  test('content-filter stops an input with a blocked word, in any letter case', async () => {
    const callFilter = (text: string) =>
      callExample(contentFilter, 'processInput', {
        input: { conversation: buildConversation({ input: [text] }) },
        options,
      });
    expect(await callFilter('the SECRET one')).toMatchObject({
      type: 'abort',
      reason: 'Blocked content detected in input',
      violations: [{ rule: 'blocked-word' }],
    });
    expect(await callFilter('the sect')).toEqual({ type: 'continue' });
  });

  test('stops an answer before the word is shown, however it is cut', async () => {
    const text = 'here is a secret for you';
    for (let first = 1; first < text.length; first++) {
      const deltas = [text.slice(0, first), text.slice(first)];
      const answer = await streamExample(contentFilter, textChunks(deltas), { options });
      expect(answer.verdict).toMatchObject({ type: 'abort', reason: 'Blocked content detected in output' });
      expect('here is a '.startsWith(answer.text)).toBe(true);
    }
  });

  test('lets the rest through as it is', async () => {
    const answer = await streamExample(contentFilter, textChunks(['a sec', 't of s', 'e']), { options });
    expect(answer).toMatchObject({ text: 'a sect of se', verdict: { type: 'continue' } });
  });
});
