// Arguments and results of a tool in Python keep their texts. Skipped with the reason if python3 or a package index is missing.
import { sampleObjectTexts } from '@millrace/contracts/testing';
import { eventually, useBus, useNats, useStack } from '@millrace/testkit';
import { expect, test } from 'vitest';
import { withProgram, writeRepeating } from './python/broken-programs.ts';
import { usePython } from './python/use-python.ts';
import { script } from './script.ts';

const nats = useNats();
const bus = useBus(nats, 'python');
const stack = useStack(nats, ['orchestrator']);
const { folder, scratch, python, requirePython } = usePython();

test('A tool in Python reads the text of its arguments, and its whole numbers keep their digits in the next prompt', async (context) => {
  requirePython(context);
  const texts = sampleObjectTexts(40, 5, { hasDuplicates: false });
  await withProgram(
    { bus: bus.bus, python: python(), folder },
    await writeRepeating(scratch()),
    'py-repeating',
    async () => {
      const agent = { name: 'py-repeats', model: 'openai/gpt-5-mini', tools: ['py-repeat'] };
      await eventually(() => stack.client.agents.apply(agent));
      const id = '{"id": 1456181302800679079, "price":10.50}';
      const calls = [...texts, id].map((args) => ({ name: 'py-repeat', args }));
      const { steps } = await stack.client.generate('py-repeats', script({ toolCalls: calls }, { text: 'Done.' }));
      const results = steps[0]?.toolResults ?? [];
      expect(results.map(({ result }) => Object(result).text)).toEqual([...texts, id]);
      // The text of the result is that of json.dumps.
      expect(results.at(-1)?.resultText).toContain('"id": 1456181302800679079');
    },
  );
});
