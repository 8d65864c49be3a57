// The chunks behind an answer reach the processors of the stream in batches: a processor that reads chunks has all parts
// of the step with them.
import { defineMethods, useProcessors, useSharedStack } from '@millrace/testkit';
import { expect, test } from 'vitest';
import { applying } from './apply-agent.ts';
import { collect } from './collect.ts';
import { script } from './script.ts';

const seen: Record<string, string[]> = {};
const looking = (id: string, reads: ('chunks' | 'response')[]) =>
  defineMethods(
    id,
    {
      processOutputStream: async ({ part, streamParts }) => {
        const texts = streamParts.map((one) => (one.type === 'text-delta' ? one.payload.text : one.type));
        seen[`${id} ${part.type}`] = texts;
        return part;
      },
    },
    { reads },
  );
/** Judges the whole answer, so that the last chunks are a batch. */
const later = defineMethods('parts-later', { processOutputStep: () => undefined });

const stack = useSharedStack();
useProcessors(stack, [looking('parts-all', ['chunks']), looking('parts-batch', ['response']), later], 'parts');
const agent = applying(stack);

test('streamParts holds the whole step at its last chunks, and at the result of a tool', async () => {
  const name = await agent('parts', { tools: ['calculator'], output: ['parts-all', 'parts-batch', 'parts-later'] });
  const calls = [{ name: 'calculator', args: { expression: '1+1' } }];
  await collect(await stack.client.start(name, script({ text: 'I add. ', toolCalls: calls }, { text: 'It is two.' })));
  expect(seen['parts-all tool-result']).toEqual(expect.arrayContaining(['I add. ', 'tool-call', 'tool-result']));
  expect(seen['parts-all finish']).toEqual(['text-start', 'It is two.', 'text-end', 'step-finish', 'finish']);
  expect(seen['parts-batch finish']).toEqual(['step-finish', 'finish']);
});
