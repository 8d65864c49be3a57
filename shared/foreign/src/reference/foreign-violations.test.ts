import { buildConversation } from '@millrace/testkit';
import { expect, test } from 'vitest';
import { callForeign } from '../testing/foreign-rig.ts';

test('A violation of a shared processor is reported in the call that found it', async () => {
  const gates = new Map<string, PromiseWithResolvers<void>>();
  const guard = {
    id: 'guard',
    onViolation: undefined as ((violation: unknown) => unknown) | undefined,
    async processInput({ messages }: { messages: { content: { parts: { text?: string }[] } }[] }) {
      const text = messages[0]?.content.parts[0]?.text ?? '';
      const gate = Promise.withResolvers<void>();
      gates.set(text, gate);
      await gate.promise;
      await this.onViolation?.({ processorId: 'guard', message: `found ${text}`, detail: { text } });
    },
  };
  const callProcessor = (text: string) =>
    callForeign(guard, 'processInput', { input: { conversation: buildConversation({ input: [text] }) } });
  const calls = [callProcessor('one'), callProcessor('two')];
  await new Promise(setImmediate);
  gates.get('two')?.resolve();
  await new Promise(setImmediate);
  gates.get('one')?.resolve();
  const [one, two] = await Promise.all(calls);
  expect(one).toMatchObject({ violations: [{ message: 'found one', detail: { text: 'one' } }] });
  expect(two).toMatchObject({ violations: [{ message: 'found two' }] });
});

test('A frozen processor is served, and its stops are reported', async () => {
  const frozen = Object.freeze({
    id: 'frozen',
    processInput: ({ abort }: { abort: (reason: string) => never }) => abort('no'),
  });
  expect(await callForeign(frozen, 'processInput')).toMatchObject({ type: 'abort', violations: [{ message: 'no' }] });
});
