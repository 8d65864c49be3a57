// Names of tools that a run does not have: a model words them freely, so guards judge them before a reader receives them.
import { useSharedStack } from '@millrace/testkit';
import { expect, test } from 'vitest';
import { applying } from './apply-agent.ts';
import { collect } from './collect.ts';
import { script } from './script.ts';

const stack = useSharedStack();
const answer = async (name: string, output: object[], toolName: string) => {
  const agent = await applying(stack)(name, { tools: ['calculator'], output });
  const call = { toolCalls: [{ name: toolName, args: { expression: '1 + 1' } }] };
  const run = await stack.client.start(agent, script(call, { text: 'Done.' }));
  return { chunks: await collect(run), result: await run.result() };
};
const keyword = (strategy: string) => ({ use: 'keyword', options: { keywords: ['zebracode'], strategy } });

test.each([
  ['a word', keyword('block'), 'zebracode'],
  ['a word between others', keyword('block'), 'send.zebracode'],
  ['a card number', { use: 'pii', options: { strategy: 'block' } }, '4111-1111-1111-1111'],
])('A guard blocks %s in the name of an unknown tool, and no reader receives it', async (what, guard, name) => {
  const { chunks, result } = await answer(`blocked-${what.replaceAll(' ', '-')}`, [guard], name);
  expect(result.status).toBe('aborted');
  expect(JSON.stringify([chunks, result])).not.toMatch(/zebracode|4111/);
});

test('A guard replaces a word in the name of an unknown tool in each chunk and in the result', async () => {
  const { chunks, result } = await answer('masked-tool', [keyword('redact')], 'zebracode');
  expect(result).toMatchObject({ status: 'finished', text: 'Done.' });
  expect(JSON.stringify([chunks, result])).not.toContain('zebracode');
  expect(chunks.map(({ type }) => type)).toContain('tool-error');
});

test('An unknown name that guards pass reaches readers with a mark, and the name of a tool of the run without one', async () => {
  const readNames = async (toolName: string) => {
    const { chunks } = await answer(`named-${toolName}`, [keyword('block')], toolName);
    return chunks.flatMap((chunk) =>
      chunk.type === 'tool-call' || chunk.type === 'tool-call-input-streaming-start'
        ? [[chunk.type, chunk.payload.toolName, chunk.payload.unknownTool]]
        : [],
    );
  };
  expect(await readNames('translator')).toEqual([
    ['tool-call-input-streaming-start', 'translator', true],
    ['tool-call', 'translator', true],
  ]);
  expect(await readNames('calculator')).toEqual([
    ['tool-call-input-streaming-start', 'calculator', undefined],
    ['tool-call', 'calculator', undefined],
  ]);
});
