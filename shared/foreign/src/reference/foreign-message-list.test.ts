// Tests the message list that a processor of the reference receives.
import type { Stage, Verdict } from '@millrace/contracts';
import { buildConversation } from '@millrace/testkit';
import { describe, expect, test } from 'vitest';
import { callForeign } from '../testing/foreign-rig.ts';

const given = buildConversation({ remembered: ['old'], context: ['file'], input: ['hello'], response: ['hi'] }, [
  'Be kind.',
]);
const conversation = { ...given, system: [...given.system, { tag: 'working-memory', content: 'Name: Ada' }] };

// oxlint-disable-next-line typescript/no-explicit-any -- the list of the reference has a hundred members
type List = any;

/** Returns the result of `use`, and the verdict of the call around it. */
async function useList(use: (list: List) => unknown, stage: Stage = 'processInputStep') {
  let value: unknown;
  const method = ({ messageList }: { messageList: List }) => {
    value = use(messageList);
    return messageList;
  };
  const verdict = await callForeign({ id: 'using', [stage]: method }, stage, { input: { conversation } });
  return { value, verdict };
}
const readOps = (verdict: Verdict) => ('changes' in verdict ? verdict.changes?.ops : undefined);

describe('the message list of a foreign processor answers', () => {
  test.each([
    ['all', ['remembered-0', 'context-0', 'input-0', 'response-0']],
    ['input', ['input-0']],
    ['response', ['response-0']],
    ['remembered', ['remembered-0']],
  ])('get.%s by source', async (view, ids) => {
    const { value, verdict } = await useList((list) => list.get[view].db().map(({ id }: { id: string }) => id));
    expect(value).toEqual(ids);
    expect(verdict).toEqual({ type: 'continue' });
  });

  test('in the forms of model calls', async () => {
    const { value } = await useList((list) => [list.get.response.core(), list.get.response.aiV5.model()]);
    const message = { role: 'assistant', content: [{ type: 'text', text: 'hi' }] };
    expect(value).toEqual([[message], [message]]);
  });

  test('The list returns the source of a message', async () => {
    const { value } = await useList((list) => {
      const sources = list.makeMessageSourceChecker();
      const all = list.get.all.db();
      return [all.map(sources.getSource), [...sources.memory], [...sources.output], all.map(list.isNewMessage)];
    });
    expect(value).toEqual([
      ['memory', 'context', 'input', 'response'],
      ['remembered-0'],
      ['response-0'],
      [false, false, true, true],
    ]);
  });

  test("The list returns the caller's last message", async () => {
    expect((await useList((list) => list.getLatestUserContent())).value).toBe('hello');
  });

  test('system messages, those without a tag apart', async () => {
    const { value } = await useList((list) => [
      list.getSystemMessages(),
      list.getSystemMessages('working-memory'),
      list.getAllSystemMessages().length,
    ]);
    expect(value).toEqual([[{ role: 'system', content: 'Be kind.' }], [{ role: 'system', content: 'Name: Ada' }], 2]);
  });
});

describe('changes of the message list by a foreign processor', () => {
  test('added messages, in every form that can be read', async () => {
    const { verdict } = await useList((list) =>
      list
        .add([{ role: 'user', content: 'one' }, 'two'], 'input')
        .add({ role: 'assistant', parts: [{ type: 'text', text: 'three' }] }, 'memory'),
    );
    expect(readOps(verdict)?.map((op) => ('source' in op ? [op.source, op.message.content.parts[0]] : op))).toEqual([
      ['input', { type: 'text', text: 'one' }],
      ['input', { type: 'text', text: 'two' }],
      ['remembered', { type: 'text', text: 'three' }],
    ]);
  });

  test('removed messages, which are given back', async () => {
    const { value, verdict } = await useList((list) => list.removeByIds(['remembered-0', 'unknown']));
    expect(value).toMatchObject([{ id: 'remembered-0' }]);
    expect(readOps(verdict)).toEqual([{ op: 'remove', ids: ['remembered-0'] }]);
    expect(readOps((await useList((list) => list.clear.response.db())).verdict)).toEqual([
      { op: 'remove', ids: ['response-0'] },
    ]);
  });

  test('system messages: a text that is there is not added again', async () => {
    const { verdict } = await useList((list) =>
      list.addSystem('Be kind.').addSystem(['Be brief.']).addSystem('Own', 'mine'),
    );
    expect(readOps(verdict)).toEqual([
      { op: 'system-add', tag: 'processor', contents: ['Be brief.'] },
      { op: 'system-add', tag: 'mine', contents: ['Own'] },
    ]);
  });

  test('replaced system messages: tagged ones stay, an edited one keeps its place', async () => {
    const replace = (texts: string[]) => (list: List) =>
      list.replaceAllSystemMessages(texts.map((content) => ({ role: 'system', content })));
    expect(readOps((await useList(replace(['Be kind.']))).verdict)).toBeUndefined();
    expect(readOps((await useList(replace(['Be rude.']))).verdict)).toEqual([
      { op: 'system', tag: 'instructions', contents: ['Be rude.'] },
    ]);
    expect(readOps((await useList(replace(['Be kind.', 'Be brief.']))).verdict)).toEqual([
      { op: 'system', tag: 'processor', contents: ['Be brief.'] },
    ]);
    expect(readOps((await useList((list) => list.clearSystemMessages())).verdict)).toEqual([
      { op: 'system', tag: 'instructions', contents: [] },
    ]);
  });

  test('the result of the tool that the stage is about', async () => {
    const tool = { name: 'clock', description: '', inputSchema: {}, subject: 's', idempotent: true, timeoutMs: 1 };
    const toolCall = { toolCallId: 'c1', toolName: 'clock', args: {} };
    const masking = {
      id: 'masking',
      processToolResult({
        messageList,
        toolCallId,
        result,
      }: {
        messageList: List;
        toolCallId: string;
        result: string;
      }) {
        const toolInvocation = { state: 'result', toolCallId, toolName: 'clock', args: {}, result: `masked ${result}` };
        messageList.updateToolInvocation({ type: 'tool-invocation', toolInvocation });
      },
    };
    const input = { conversation, tool, toolCall, result: 'noon' };
    expect(await callForeign(masking, 'processToolResult', { input })).toEqual({
      type: 'continue',
      changes: { result: 'masked noon' },
    });
    const failed = { ...input, result: 'no clock', isError: true };
    expect(await callForeign(masking, 'processToolResult', { input: failed })).toEqual({
      type: 'continue',
      changes: { result: 'masked no clock' },
    });
  });
});

describe('unsupported members of the message list', () => {
  test.each([
    ['messageList.get.all.aiV6', (list: List) => list.get.all.aiV6.ui()],
    ['messageList.get.input.aiV5.ui', (list: List) => list.get.input.aiV5.ui()],
    ['messageList.serialize', (list: List) => list.serialize()],
    ['messageList.getPersisted', (list: List) => list.getPersisted.response.db()],
  ])('%s is refused by name', async (name, use) => {
    const { verdict } = await useList(use);
    expect(verdict).toMatchObject({ type: 'failure', code: 'not-built-yet' });
    expect(verdict).toHaveProperty('message', expect.stringContaining(name));
  });

  test.each(['of-tomorrow', 'constructor'])('a source %s is refused by name', async (source) => {
    const { verdict } = await useList((list) => list.add('hi', source));
    expect(verdict).toMatchObject({ type: 'failure', message: expect.stringContaining(`source "${source}"`) });
  });

  test('fails the call though the processor catches that, and gives the text back', async () => {
    const careless = {
      id: 'careless',
      processInput({ messages, messageList }: { messages: unknown[]; messageList: List }) {
        try {
          messageList.drainUnsavedMessages();
        } catch {
          // lets it through
        }
        return messages;
      },
    };
    expect(await callForeign(careless, 'processInput', { input: { conversation } })).toMatchObject({ type: 'failure' });
  });

  test('Inspecting the list without a call does not fail', async () => {
    const { verdict } = await useList((list) => [JSON.stringify({ list: Object.keys(list) }), list.then, String(list)]);
    expect(verdict).toEqual({ type: 'continue' });
  });
});
