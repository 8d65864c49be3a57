// A model that writes a value in two halves around a tool call: no guard of the output lets the whole value pass, and
// the stream, the result and the stored messages have the same text.
import { useSharedStack } from '@millrace/testkit';
import { describe, expect, test } from 'vitest';
import { applying } from './apply-agent.ts';
import { collect, joinText } from './collect.ts';
import { script } from './script.ts';

const stack = useSharedStack();
const agent = applying(stack);
const KEY = ['gh', 'p_Q7xLmZ2pR9vTk4WsY1nB8cHd6FgJ3eUaQ7xL'].join('');
const toolCalls = [{ name: 'calculator', args: { expression: '1 + 1' } }];

type Row = [guard: string, entry: object, halves: [string, string], value: string, release: string];
const masked: Row[] = [
  ['pii', { use: 'pii' }, ['card 4111 1111', ' 1111 1111 ok'], '4111 1111 1111 1111', 'chunk'],
  ['pii', { use: 'pii' }, ['mail ada@exam', 'ple.com ok'], 'ada@example.com', 'chunk'],
  ['pii', { use: 'pii' }, ['mail ada@exam', 'ple.com ok'], 'ada@example.com', 'result'],
  ['secrets', { use: 'secrets' }, [`key ${KEY.slice(0, 12)}`, `${KEY.slice(12)} ok`], KEY, 'chunk'],
];
const blocked: Row[] = [
  [
    'keyword',
    { use: 'keyword', options: { keywords: ['nightingale'], strategy: 'block' } },
    ['the nightin', 'gale flies'],
    'nightingale',
    'chunk',
  ],
  [
    'moderation',
    { use: 'moderation', options: { mode: 'words', words: ['vile'] } },
    ['a vi', 'le word'],
    'vile',
    'chunk',
  ],
];

async function runHalves(name: string, entry: object, halves: readonly [string, string], release: string) {
  const applied = await agent(name, { output: [entry], tools: ['calculator'], release });
  const run = await stack.client.start(applied, script({ text: halves[0], toolCalls }, { text: halves[1] }));
  const streamed = joinText(await collect(run));
  return { streamed, result: await run.result() };
}

describe.concurrent('a value that is cut over two steps', () => {
  test.each(masked)('%s with %j masks the second half of %j', async (guard, entry, halves, value, release) => {
    const name = `cut-${guard}-${halves[0].length}-${release}`;
    const { streamed, result } = await runHalves(name, entry, halves, release);
    expect(result).toMatchObject({ status: 'finished', text: streamed });
    expect(streamed).not.toContain(value);
    expect(streamed.endsWith(' ok')).toBe(true);
    const stored = result.messages.flatMap(({ content }) => content.parts);
    expect(stored.map((part) => (part.type === 'text' ? part.text : '')).join('')).toBe(streamed);
  });

  test.each(blocked)('%s with %j rejects the second half of %j', async (guard, entry, halves, value, release) => {
    const { streamed, result } = await runHalves(`cut-${guard}`, entry, halves, release);
    expect(result).toMatchObject({ status: 'aborted', text: '' });
    expect(streamed).not.toContain(value);
  });
});
