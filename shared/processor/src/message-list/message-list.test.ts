import {
  applyOps,
  emptyConversation,
  readMessageText,
  buildTextMessage,
  type Conversation,
  type Message,
} from '@millrace/contracts';
import { buildConversation } from '@millrace/testkit';
import { describe, expect, test } from 'vitest';
import { MessageList } from './message-list.ts';

const given = buildConversation({ remembered: ['old'], context: ['file'], input: ['hello'], response: ['hi'] }, [
  'Be kind.',
]);
const ids = (list: MessageList) => list.get.all.db().map(({ id }) => id);
/** Returns the conversation after the receiver has applied the operations. */
const applyTakenOps = (list: MessageList, before: Conversation = given) => applyOps(before, list.takeOps());

describe('views of a message list', () => {
  const list = new MessageList(given, 'input');
  const listIds = (view: { db(): { id: string }[] }) => view.db().map(({ id }) => id);

  test('The view by source: input contains the messages of the caller and of processors', () => {
    expect(listIds(list.get.input)).toEqual(['context-0', 'input-0']);
    expect(listIds(list.get.response)).toEqual(['response-0']);
    expect(listIds(list.get.remembered)).toEqual(['remembered-0']);
    expect(listIds(list.get.all)).toEqual(['remembered-0', 'context-0', 'input-0', 'response-0']);
  });

  test('Each view has the forms that processors request', () => {
    expect(list.get.response.ui()).toEqual([
      { id: 'response-0', role: 'assistant', parts: [{ type: 'text', text: 'hi' }] },
    ]);
    expect(list.get.response.core()).toEqual([{ role: 'assistant', content: [{ type: 'text', text: 'hi' }] }]);
    expect(list.get.response.model()).toEqual(list.get.response.core());
  });

  test("getLatestUserContent returns the caller's last text", () => {
    expect(list.getLatestUserContent()).toBe('hello');
    expect(new MessageList(emptyConversation, 'input').getLatestUserContent()).toBe('');
  });
});

describe('operations of a message list', () => {
  test('An unchanged list has no operations', () => {
    expect(new MessageList(given, 'input').takeOps()).toEqual([]);
  });

  test('Added messages have the source of the stage, or the named one', () => {
    const list = new MessageList(given, 'response');
    list.add(buildTextMessage('new', 'assistant', 'more')).add(buildTextMessage('put', 'user', 'x'), 'context');
    expect(
      applyTakenOps(list)
        .entries.slice(-2)
        .map(({ source, message }) => [source, message.id]),
    ).toEqual([
      ['response', 'new'],
      ['context', 'put'],
    ]);
  });

  test('An added string is a user message before the model and an assistant message after it', () => {
    const [before, after] = [
      new MessageList(emptyConversation, 'input'),
      new MessageList(emptyConversation, 'response'),
    ];
    before.add('a');
    after.add(['b', 'c']);
    expect(before.get.all.db().map(({ role }) => role)).toEqual(['user']);
    expect(after.get.all.db().map((message) => [message.role, readMessageText(message)])).toEqual([
      ['assistant', 'b'],
      ['assistant', 'c'],
    ]);
  });

  test('Removed and replaced messages become operations in order', () => {
    const list = new MessageList(given, 'input')
      .removeByIds(['context-0'])
      .replace(buildTextMessage('input-0', 'user', 'changed'));
    expect(ids(list)).toEqual(['remembered-0', 'input-0', 'response-0']);
    expect(applyTakenOps(list).entries.map(({ message }) => readMessageText(message))).toEqual([
      'old',
      'changed',
      'hi',
    ]);
  });

  describe('The cost of operations per message is constant', () => {
    const many = Array.from({ length: 500 }, (_, at) => buildTextMessage(`m${at}`, 'user', 'old'));
    const createList = (messages: Message[]) =>
      new MessageList({ entries: messages.map((message) => ({ source: 'input', message })), system: [] }, 'input');
    let looks = 0;
    const countReads = ({ id }: Message) => {
      const get = () => {
        looks += 1;
        return id;
      };
      return Object.defineProperty(buildTextMessage(id, 'user', 'new'), 'id', { enumerable: true, get });
    };

    test.each<[string, MessageList, (list: MessageList) => void]>([
      ['replaced', createList(many), (list) => many.forEach((message) => list.replace(countReads(message)))],
      ['added', createList([]), (list) => list.add(many.map(countReads))],
      ['returned changed', createList(many), (list) => list.reconcile(list.get.all.db(), many.map(countReads))],
      ['returned new', createList([]), (list) => list.reconcile([], many.map(countReads))],
    ])('The list records the operation: %s', (_how, list, change) => {
      looks = 0;
      change(list);
      expect(list.takeOps()).toHaveLength(500);
      expect(looks).toBeLessThan(15 * many.length);
    });
  });

  test('replace throws for an unknown message', () => {
    expect(() => new MessageList(given, 'input').replace(buildTextMessage('ghost', 'user', 'x'))).toThrow('ghost');
  });
});

describe('messages of a message list that are edited in place', () => {
  const edit = (list: MessageList, id: string, text: string) => {
    const part = list.get.all.db().find((message) => message.id === id)?.content.parts[0];
    if (part?.type !== 'text') throw new Error('a text part was made');
    part.text = text;
  };
  const texts = (conversation: Conversation) => conversation.entries.map(({ message }) => readMessageText(message));

  test('Messages that are edited in place become replacements, and unchanged messages do not', () => {
    const list = new MessageList(given, 'input');
    edit(list, 'input-0', 'edited');
    expect(list.takeOps()).toEqual([
      {
        op: 'replace',
        message: expect.objectContaining({
          id: 'input-0',
          content: expect.objectContaining({ parts: [{ type: 'text', text: 'edited' }] }),
        }),
      },
    ]);
  });

  test('An in-place edit does not change the conversation of the call', () => {
    const before = structuredClone(given);
    edit(new MessageList(given, 'input'), 'input-0', 'edited');
    expect(given).toEqual(before);
  });

  test('A message that is edited after it was added here counts as changed', () => {
    const list = new MessageList(given, 'input').add(buildTextMessage('new', 'user', 'first'));
    edit(list, 'new', 'second');
    expect(texts(applyTakenOps(list)).at(-1)).toBe('second');
  });

  test('A message that is replaced here and then edited back counts as changed', () => {
    const list = new MessageList(given, 'input').replace(buildTextMessage('input-0', 'user', 'changed'));
    const original = given.entries.find(({ message }) => message.id === 'input-0')?.message;
    const now = list.get.input.db().find((message) => message.id === 'input-0');
    if (!original || !now) throw new Error('both are there');
    Object.assign(now, structuredClone(original));
    expect(applyTakenOps(list)).toEqual(given);
  });

  test('An edited message that is removed later is only removed', () => {
    const list = new MessageList(given, 'input');
    edit(list, 'input-0', 'edited');
    list.removeByIds(['input-0']);
    expect(list.takeOps()).toEqual([{ op: 'remove', ids: ['input-0'] }]);
  });
});

describe('system messages of a message list', () => {
  const system = (conversation: Conversation) => conversation.system.map(({ tag, content }) => `${tag}: ${content}`);

  test('System messages are appended to their group, set as a whole, and cleared', () => {
    const list = new MessageList(given, 'input')
      .addSystem('a', 'mine')
      .addSystem(['b', 'c'], 'mine')
      .setSystem('other', ['d']);
    expect(system(applyTakenOps(list))).toEqual([
      'instructions: Be kind.',
      'mine: a',
      'mine: b',
      'mine: c',
      'other: d',
    ]);
    list.clearSystemMessages('mine');
    expect(system(applyTakenOps(list))).toEqual(['instructions: Be kind.', 'other: d']);
    expect(list.getSystemMessages('other')).toEqual([{ role: 'system', tag: 'other', content: 'd' }]);
  });

  test('addSystem keeps the messages of a group that the processor cannot read', () => {
    const first = applyTakenOps(new MessageList(emptyConversation, 'input').addSystem('from one'), emptyConversation);
    const blind = new MessageList(emptyConversation, 'input').addSystem('from another');
    expect(system(applyTakenOps(blind, first))).toEqual(['processor: from one', 'processor: from another']);
  });

  test('setAllSystem replaces all groups', () => {
    const list = new MessageList(given, 'input').replaceAllSystemMessages([{ tag: 'x', content: 'only' }]);
    expect(system(applyTakenOps(list))).toEqual(['x: only']);
  });
});

test('A returned array is reconciled with only the messages that were passed to the method', () => {
  const list = new MessageList(given, 'response');
  const response = list.get.response.db();
  list.reconcile(response, [buildTextMessage('new', 'assistant', 'instead')]);
  expect(applyTakenOps(list).entries.map(({ source, message }) => `${source} ${message.id}`)).toEqual([
    'remembered remembered-0',
    'context context-0',
    'input input-0',
    'response new',
  ]);
});
