import type { Prompt } from '@millrace/contracts';
import { describe, expect, test } from 'vitest';
import { callForeign } from '../testing/foreign-rig.ts';
import { toPromptV2 } from './prompt-v2.ts';

const denied = { type: 'execution-denied', reason: 'no' };
const V4: Prompt = [
  { role: 'system', content: 'Be kind.' },
  {
    role: 'user',
    content: [
      { type: 'text', text: 'see' },
      { type: 'file', mediaType: 'image/png', data: { type: 'data', data: 'aGk=' } },
      { type: 'file', mediaType: 'image/png', data: { type: 'url', url: 'https://example.com/a.png' } },
    ],
  },
  {
    role: 'assistant',
    content: [
      { type: 'tool-call', toolCallId: 'c1', toolName: 'clock', input: {} },
      { type: 'custom', kind: 'openai.item' },
    ],
  },
  { role: 'tool', content: [{ type: 'tool-result', toolCallId: 'c1', toolName: 'clock', output: denied }] },
];

describe('a prompt that a foreign processor is given', () => {
  test('is of specification V2', () => {
    const { prompt } = toPromptV2(V4);
    expect(prompt).toMatchObject([
      { content: 'Be kind.' },
      { content: [{ text: 'see' }, { data: 'aGk=' }, { data: new URL('https://example.com/a.png') }] },
      { content: [{ toolCallId: 'c1' }, { type: 'custom' }] },
      { content: [{ output: { type: 'error-text', value: 'no' } }] },
    ]);
  });

  test('An unchanged prompt round-trips', () => {
    const { prompt, restore } = toPromptV2(V4);
    expect(restore(prompt)).toBeUndefined();
    expect(restore(prompt.map((message) => ({ ...message })))).toBeUndefined();
  });

  test('Unchanged messages and parts round-trip, also parts that V2 cannot express', () => {
    const { prompt, restore } = toPromptV2(V4);
    const [system, user, ...rest] = prompt;
    const content = Array.isArray(user?.['content']) ? user['content'].slice(1) : [];
    expect(restore([{ ...system, content: 'Be rude.' }, { ...user, content }, ...rest])).toEqual([
      { role: 'system', content: 'Be rude.' },
      { role: 'user', content: V4[1] && Array.isArray(V4[1]['content']) ? V4[1]['content'].slice(1) : [] },
      V4[2],
      V4[3],
    ]);
  });

  test('takes new files and results of V2', () => {
    const media = { type: 'content', value: [{ type: 'media', data: 'aGk=', mediaType: 'image/png' }] };
    const { restore } = toPromptV2([]);
    const file = (data: unknown) => ({ role: 'user', content: [{ type: 'file', mediaType: 'image/png', data }] });
    expect(
      restore([
        file('aGk='),
        file(new Uint8Array([104, 105])),
        file(new URL('https://example.com/a.png')),
        { role: 'tool', content: [{ type: 'tool-result', toolCallId: 'c', toolName: 't', output: media }] },
      ]),
    ).toMatchObject([
      { content: [{ data: { type: 'data', data: 'aGk=' } }] },
      { content: [{ data: { type: 'data', data: 'aGk=' } }] },
      { content: [{ data: { type: 'url', url: 'https://example.com/a.png' } }] },
      { content: [{ output: { value: [{ type: 'file', data: { type: 'data', data: 'aGk=' } }] } }] },
    ]);
  });

  test('An in-place edit counts as a change, as in the reference', async () => {
    const editing = {
      id: 'editing',
      processLLMRequest: ({ prompt }: { prompt: { content: string }[] }) =>
        void (prompt[0] && (prompt[0].content = 'Be brief.')),
    };
    expect(await callForeign(editing, 'processLLMRequest', { input: { prompt: V4, model: 'openai/a' } })).toEqual({
      type: 'continue',
      changes: { prompt: [{ role: 'system', content: 'Be brief.' }, ...V4.slice(1)] },
    });
  });
});

test('an answer from a foreign cache becomes chunks of this run', async () => {
  const cache = {
    id: 'cache',
    processLLMRequest: () => ({ response: { chunks: [{ type: 'text-delta', payload: { id: 't', text: 'cached' } }] } }),
  };
  expect(await callForeign(cache, 'processLLMRequest', { input: { prompt: [], model: 'openai/a' } })).toEqual({
    type: 'respond',
    chunks: [{ type: 'text-delta', runId: 'run-1', from: 'AGENT', payload: { id: 't', text: 'cached' } }],
  });
});
