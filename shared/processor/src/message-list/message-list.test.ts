import {
  applyOps,
  emptyConversation,
  messageText,
  textMessage,
  type Conversation,
  type Message,
} from '@millrace/contracts';
import { conversationOf } from '@millrace/testkit';
import { describe, expect, test } from 'vitest';
import { MessageList } from './message-list.ts';

const given = conversationOf({ remembered: ['old'], context: ['file'], input: ['hello'], response: ['hi'] }, [
  'Be kind.',
]);
const ids = (list: MessageList) => list.get.all.db().map(({ id }) => id);
/** What the receiver of the operations has afterwards. */
const received = (list: MessageList, before: Conversation = given) => applyOps(before, list.takeOps());

describe('views of a message list', () => {
  const list = new MessageList(given, 'input');
  const viewed = (view: { db(): { id: string }[] }) => view.db().map(({ id }) => id);

  test('by source: input is what the caller and the processors put in', () => {
    expect(viewed(list.get.input)).toEqual(['context-0', 'input-0']);
    expect(viewed(list.get.response)).toEqual(['response-0']);
    expect(viewed(list.get.remembered)).toEqual(['remembered-0']);
    expect(viewed(list.get.all)).toEqual(['remembered-0', 'context-0', 'input-0', 'response-0']);
  });

  test('in the forms that processors ask for', () => {
    expect(list.get.response.ui()).toEqual([
      { id: 'response-0', role: 'assistant', parts: [{ type: 'text', text: 'hi' }] },
    ]);
    expect(list.get.response.core()).toEqual([{ role: 'assistant', content: [{ type: 'text', text: 'hi' }] }]);
    expect(list.get.response.model()).toEqual(list.get.response.core());
  });

  test("the caller's last text", () => {
    expect(list.getLatestUserContent()).toBe('hello');
    expect(new MessageList(emptyConversation, 'input').getLatestUserContent()).toBe('');
  });
});

describe('what is done to a message list travels as operations', () => {
  test('nothing done is no operation', () => {
    expect(new MessageList(given, 'input').takeOps()).toEqual([]);
  });

  test('added messages have the source of the stage, or the one that is named', () => {
    const list = new MessageList(given, 'response');
    list.add(textMessage('new', 'assistant', 'more')).add(textMessage('put', 'user', 'x'), 'context');
    expect(
      received(list)
        .entries.slice(-2)
        .map(({ source, message }) => [source, message.id]),
    ).toEqual([
      ['response', 'new'],
      ['context', 'put'],
    ]);
  });

  test('a string is a user message before the model, an assistant message after it', () => {
    const [before, after] = [
      new MessageList(emptyConversation, 'input'),
      new MessageList(emptyConversation, 'response'),
    ];
    before.add('a');
    after.add(['b', 'c']);
    expect(before.get.all.db().map(({ role }) => role)).toEqual(['user']);
    expect(after.get.all.db().map((message) => [message.role, messageText(message)])).toEqual([
      ['assistant', 'b'],
      ['assistant', 'c'],
    ]);
  });

  test('removed and replaced messages, in order', () => {
    const list = new MessageList(given, 'input')
      .removeByIds(['context-0'])
      .replace(textMessage('input-0', 'user', 'changed'));
    expect(ids(list)).toEqual(['remembered-0', 'input-0', 'response-0']);
    expect(received(list).entries.map(({ message }) => messageText(message))).toEqual(['old', 'changed', 'hi']);
  });

  describe('however many, each message looked at a few times', () => {
    const many = Array.from({ length: 500 }, (_, at) => textMessage(`m${at}`, 'user', 'old'));
    const listOf = (messages: Message[]) =>
      new MessageList({ entries: messages.map((message) => ({ source: 'input', message })), system: [] }, 'input');
    let looks = 0;
    const counted = ({ id }: Message) => {
      const get = () => {
        looks += 1;
        return id;
      };
      return Object.defineProperty(textMessage(id, 'user', 'new'), 'id', { enumerable: true, get });
    };

    test.each<[string, MessageList, (list: MessageList) => void]>([
      ['replaced', listOf(many), (list) => many.forEach((message) => list.replace(counted(message)))],
      ['added', listOf([]), (list) => list.add(many.map(counted))],
      ['returned changed', listOf(many), (list) => list.reconcile(list.get.all.db(), many.map(counted))],
      ['returned new', listOf([]), (list) => list.reconcile([], many.map(counted))],
    ])('%s', (_how, list, change) => {
      looks = 0;
      change(list);
      expect(list.takeOps()).toHaveLength(500);
      expect(looks).toBeLessThan(15 * many.length);
    });
  });

  test('replacing what is not there is an error', () => {
    expect(() => new MessageList(given, 'input').replace(textMessage('ghost', 'user', 'x'))).toThrow('ghost');
  });
});

describe('messages of a message list that are edited in place', () => {
  const edit = (list: MessageList, id: string, text: string) => {
    const part = list.get.all.db().find((message) => message.id === id)?.content.parts[0];
    if (part?.type !== 'text') throw new Error('a text part was made');
    part.text = text;
  };
  const texts = (conversation: Conversation) => conversation.entries.map(({ message }) => messageText(message));

  test('count as changed, and nothing else does', () => {
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

  test('leave the conversation of the call as it was', () => {
    const before = structuredClone(given);
    edit(new MessageList(given, 'input'), 'input-0', 'edited');
    expect(given).toEqual(before);
  });

  test('count as changed after they were added here', () => {
    const list = new MessageList(given, 'input').add(textMessage('new', 'user', 'first'));
    edit(list, 'new', 'second');
    expect(texts(received(list)).at(-1)).toBe('second');
  });

  test('count as changed when edited back to what they were before a replacement here', () => {
    const list = new MessageList(given, 'input').replace(textMessage('input-0', 'user', 'changed'));
    const original = given.entries.find(({ message }) => message.id === 'input-0')?.message;
    const now = list.get.input.db().find((message) => message.id === 'input-0');
    if (!original || !now) throw new Error('both are there');
    Object.assign(now, structuredClone(original));
    expect(received(list)).toEqual(given);
  });

  test('are removed when they are then removed', () => {
    const list = new MessageList(given, 'input');
    edit(list, 'input-0', 'edited');
    list.removeByIds(['input-0']);
    expect(list.takeOps()).toEqual([{ op: 'remove', ids: ['input-0'] }]);
  });
});

describe('system messages of a message list', () => {
  const system = (conversation: Conversation) => conversation.system.map(({ tag, content }) => `${tag}: ${content}`);

  test('are added after their group, set as a whole, and cleared', () => {
    const list = new MessageList(given, 'input')
      .addSystem('a', 'mine')
      .addSystem(['b', 'c'], 'mine')
      .setSystem('other', ['d']);
    expect(system(received(list))).toEqual(['instructions: Be kind.', 'mine: a', 'mine: b', 'mine: c', 'other: d']);
    list.clearSystemMessages('mine');
    expect(system(received(list))).toEqual(['instructions: Be kind.', 'other: d']);
    expect(list.getSystemMessages('other')).toEqual([{ role: 'system', tag: 'other', content: 'd' }]);
  });

  test('of others are not lost when somebody adds who was not given them', () => {
    const first = received(new MessageList(emptyConversation, 'input').addSystem('from one'), emptyConversation);
    const blind = new MessageList(emptyConversation, 'input').addSystem('from another');
    expect(system(received(blind, first))).toEqual(['processor: from one', 'processor: from another']);
  });

  test('can all be replaced', () => {
    const list = new MessageList(given, 'input').replaceAllSystemMessages([{ tag: 'x', content: 'only' }]);
    expect(system(received(list))).toEqual(['x: only']);
  });
});

test('an array that was returned is reconciled with the messages that were given, and with those alone', () => {
  const list = new MessageList(given, 'response');
  const response = list.get.response.db();
  list.reconcile(response, [textMessage('new', 'assistant', 'instead')]);
  expect(received(list).entries.map(({ source, message }) => `${source} ${message.id}`)).toEqual([
    'remembered remembered-0',
    'context context-0',
    'input input-0',
    'response new',
  ]);
});
