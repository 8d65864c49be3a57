// One processor stops a stream: the other processors keep their states and violations, in separate sessions and in one,
// and no rejected word that they held is published.
import type { Chunk, JsonObject } from '@millrace/contracts';
import { defineMethods, useProcessors, useSharedStack } from '@millrace/testkit';
import { describe, expect, test } from 'vitest';
import { collect, joinText } from './collect.ts';
import { script } from './script.ts';

const stack = useSharedStack();
const textIn = ({ kept }: JsonObject): string => (typeof kept === 'string' ? kept : '');

/**
 * Holds text in its state: at least the last piece, and all pieces until the third; flushes it before any other chunk.
 */
const gatherer = (id: string) =>
  defineMethods(id, {
    processOutputStream({ part, state, onViolation }) {
      const before = textIn(state);
      if (part.type !== 'text-delta') {
        delete state['kept'];
        return before === '' ? part : [piece(part, before), part];
      }
      const count = Number(state['pieces'] ?? 0) + 1;
      state['pieces'] = count;
      onViolation({ message: 'a piece', rule: 'piece' });
      state['kept'] = (count % 3 === 0 ? '' : before) + part.payload.text;
      return count % 3 === 0 ? piece(part, before) : null;
    },
    processOutputResult({ state, onViolation }) {
      onViolation({ message: 'all of them', rule: 'pieces', count: Number(state['pieces']) });
    },
  });
const piece = ({ runId }: Chunk, text: string): Chunk => ({
  type: 'text-delta',
  runId,
  from: 'AGENT',
  payload: { id: 'kept', text },
});
/** Stops on a word, before or after the others. */
const guard = defineMethods('guard', {
  processOutputStream({ part, abort }) {
    if (part.type === 'text-delta' && part.payload.text.includes('bad')) abort('a bad word', { retry: true });
    return part;
  },
});
useProcessors(stack, [guard, gatherer('beside')], 'guards');
useProcessors(stack, [gatherer('elsewhere')], 'gatherers');

describe.each(['beside', 'elsewhere'])('a processor (%s) in a stream that another one stops', (id) => {
  test.each([
    ['before', [id, 'guard']],
    ['behind', ['guard', id]],
  ])(
    '%s it, the processor keeps its count and findings, and loses the held text of the rejected answer',
    async (where, output) => {
      await stack.client.agents.apply({
        name: `${id}-${where}`,
        model: 'openai/gpt-5-mini',
        flushMs: 0,
        output,
        maxProcessorRetries: 1,
      });
      const rejected = { text: 'one  bad  two  threefour ', chunkSize: 5, delayMs: 30 };
      const run = await stack.client.start(`${id}-${where}`, script(rejected, { text: 'Good.' }));
      await collect(run);
      const result = await run.result();
      expect(result).toMatchObject({ status: 'finished', text: 'Good.' });
      const { violations } = result;
      const [pieces, total] = ['piece', 'pieces'].map(
        (rule) => violations.find((one) => one.rule === rule)?.count ?? 0,
      );
      // At least one of the rejected answer in addition to those of the second.
      expect(pieces).toBeGreaterThan(1);
      expect(total).toBe(pieces);
    },
  );

  test('the result contains its findings if the stop ends the run', async () => {
    await stack.client.agents.apply({
      name: `${id}-ends`,
      model: 'openai/gpt-5-mini',
      flushMs: 0,
      output: [id, 'guard'],
    });
    const run = await stack.client.start(
      `${id}-ends`,
      script({ text: 'one  bad  two  threefour ', chunkSize: 5, delayMs: 30 }),
    );
    const chunks = await collect(run);
    expect(await run.result()).toMatchObject({ status: 'aborted', violations: [{ processorId: id, rule: 'piece' }] });
    expect(joinText(chunks)).not.toContain('bad');
  });
});
