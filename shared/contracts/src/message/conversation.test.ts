import { describe, expect, test } from 'vitest';
import { applyOps } from './apply-ops.ts';
import {
  emptyConversation,
  selectMessages,
  type Conversation,
  type MessageOp,
  CALLER_TAG,
  withCallerSystem,
} from './conversation.ts';
import { readMessageText, buildTextMessage } from './message.ts';

const message = (id: string, text = id) => buildTextMessage(id, 'user', text);
const add = (
  id: string,
  source: 'input' | 'response' | 'remembered' | 'context' = 'input',
  before?: string,
): MessageOp => ({
  op: 'add',
  source,
  message: message(id),
  ...(before !== undefined && { before }),
});
const conversation = (...ops: MessageOp[]): Conversation => applyOps(emptyConversation, ops);
const ids = (given: Conversation) => given.entries.map((entry) => entry.message.id);

describe('add', () => {
  test('add appends a message', () => {
    expect(ids(conversation(add('a'), add('b', 'response'), add('c', 'context')))).toEqual(['a', 'b', 'c']);
  });

  test('add inserts remembered messages before all messages of this run, in the order of the operations', () => {
    expect(ids(conversation(add('now'), add('old-1', 'remembered'), add('old-2', 'remembered')))).toEqual([
      'old-1',
      'old-2',
      'now',
    ]);
  });

  test('add inserts a message before the named one', () => {
    expect(ids(conversation(add('a'), add('b'), add('x', 'context', 'b')))).toEqual(['a', 'x', 'b']);
  });

  test('add appends the message if the named one does not exist', () => {
    expect(ids(conversation(add('a'), add('x', 'context', 'gone')))).toEqual(['a', 'x']);
  });

  test('add replaces a message with the same id in place, so that adding twice equals adding once', () => {
    const twice = applyOps(conversation(add('a'), add('b')), [
      { op: 'add', source: 'context', message: message('a', 'new') },
    ]);
    expect(ids(twice)).toEqual(['a', 'b']);
    expect(twice.entries[0]).toMatchObject({ message: { content: { parts: [{ text: 'new' }] } } });
  });

  test.each(['remembered', 'context', 'response'] as const)(
    'add keeps the source of a message with the same id: input of the caller does not become %s, which guards do not judge',
    (source) => {
      expect(conversation(add('a', 'input'), add('a', source)).entries.map((entry) => entry.source)).toEqual(['input']);
    },
  );
});

describe('remove', () => {
  test('remove deletes the named messages and keeps the others', () => {
    expect(ids(conversation(add('a'), add('b'), add('c'), { op: 'remove', ids: ['a', 'c', 'unknown'] }))).toEqual([
      'b',
    ]);
  });
});

describe('replace', () => {
  test('replace keeps position and source', () => {
    const replaced = conversation(add('a', 'remembered'), add('b'), { op: 'replace', message: message('a', 'new') });
    expect(replaced.entries[0]?.source).toBe('remembered');
    expect(selectMessages(replaced).map(readMessageText)).toEqual(['new', 'b']);
  });

  test('replace rejects an unknown message by its id', () => {
    expect(() => conversation({ op: 'replace', message: message('ghost') })).toThrow('The message "ghost"');
  });
});

describe('replacements that follow one another', () => {
  const buildMessage = (id: string, role: 'user' | 'system', text: string) => buildTextMessage(id, role, text);
  const given = conversation(
    { op: 'add', source: 'input', message: buildMessage('a', 'system', 'rules') },
    add('b'),
    add('c', 'remembered'),
    { op: 'system', tag: 'last', contents: ['l'] },
  );
  const choices: MessageOp[] = [
    { op: 'replace', message: buildMessage('a', 'user', 'no rules') },
    { op: 'replace', message: buildMessage('a', 'system', 'other rules') },
    { op: 'replace', message: buildMessage('b', 'system', 'more rules') },
    { op: 'replace', message: buildMessage('b', 'user', 'x') },
    { op: 'replace', message: buildMessage('c', 'system', 'remembered rules') },
    { op: 'remove', ids: ['a'] },
  ];
  const outcome = (apply: () => Conversation): unknown => {
    try {
      return apply();
    } catch (error) {
      return String(error);
    }
  };

  test('A sequence of replacements equals replacing one after the other', () => {
    const picks = Array.from({ length: choices.length ** 4 }, (_, number) =>
      [0, 1, 2, 3].map((digit) => Math.floor(number / choices.length ** digit) % choices.length),
    );
    for (const pick of picks) {
      const ops = pick.flatMap((at) => choices[at] ?? []);
      const oneByOne = outcome(() => ops.reduce((changed, op) => applyOps(changed, [op]), given));
      expect(outcome(() => applyOps(given, ops))).toEqual(oneByOne);
    }
  });

  test('A sequence of replacements reads each message a constant number of times', () => {
    let looks = 0;
    const buildCounted = (at: number) =>
      Object.defineProperty(message(`m${at}`), 'id', {
        enumerable: true,
        get: () => {
          looks += 1;
          return `m${at}`;
        },
      });
    const many = Array.from({ length: 500 }, (_, at) => buildCounted(at));
    const list: Conversation = { entries: many.map((one) => ({ source: 'input', message: one })), system: [] };
    applyOps(
      list,
      many.map((one) => ({ op: 'replace', message: one })),
    );
    expect(looks).toBeLessThan(10 * many.length);
  });
});

describe('system messages', () => {
  const system = (tag: string, ...contents: string[]): MessageOp => ({ op: 'system', tag, contents });
  const formatSystem = (given: Conversation) => given.system.map(({ tag, content }) => `${tag}:${content}`);

  test('system-set keeps the position of an existing group and appends a new one', () => {
    const given = conversation(system('one', 'a', 'b'), system('two', 'c'), system('one', 'd'), system('three', 'e'));
    expect(formatSystem(given)).toEqual(['one:d', 'two:c', 'three:e']);
  });

  test('system-set with an empty group removes it', () => {
    expect(formatSystem(conversation(system('one', 'a'), system('two', 'b'), system('one')))).toEqual(['two:b']);
  });

  test('system-set joins a split group at the position of its first part', () => {
    const apart: MessageOp = {
      op: 'system-all',
      messages: [
        { tag: 'one', content: 'a' },
        { tag: 'two', content: 'b' },
        { tag: 'one', content: 'c' },
      ],
    };
    expect(formatSystem(conversation(apart, system('one', 'd')))).toEqual(['one:d', 'two:b']);
  });

  test('system-add appends to a group and creates it if it does not exist', () => {
    const added: MessageOp = { op: 'system-add', tag: 'one', contents: ['c', 'd'] };
    expect(formatSystem(conversation(system('one', 'a'), system('two', 'b'), added))).toEqual([
      'one:a',
      'one:c',
      'one:d',
      'two:b',
    ]);
    expect(formatSystem(conversation(system('two', 'b'), added))).toEqual(['two:b', 'one:c', 'one:d']);
  });

  test('system-all replaces all groups', () => {
    const all: MessageOp = { op: 'system-all', messages: [{ tag: 'x', content: 'only' }] };
    expect(formatSystem(conversation(system('one', 'a'), all))).toEqual(['x:only']);
  });
});

test('applyOps does not modify the given conversation', () => {
  const before = conversation(add('a'), { op: 'system', tag: 't', contents: ['s'] });
  const copy = structuredClone(before);
  applyOps(before, [add('b'), { op: 'remove', ids: ['a'] }, { op: 'system-all', messages: [] }]);
  expect(before).toEqual(copy);
});

test('selectMessages filters by source and returns all messages without a source', () => {
  const given = conversation(add('i'), add('r', 'response'), add('m', 'remembered'), add('c', 'context'));
  expect(selectMessages(given, 'input', 'context').map(({ id }) => id)).toEqual(['i', 'c']);
  expect(selectMessages(given).map(({ id }) => id)).toEqual(['m', 'i', 'r', 'c']);
});

describe("a caller's system message", () => {
  const begin = withCallerSystem({
    entries: [
      { source: 'input', message: buildTextMessage('s1', 'system', 'Call me 4111.') },
      { source: 'input', message: buildTextMessage('u1', 'user', 'hello') },
    ],
    system: [{ tag: 'instructions', content: 'Be brief.' }],
  });
  const callers = ({ system }: Conversation) =>
    system.filter(({ tag }) => tag === CALLER_TAG).map(({ content }) => content);

  test("A caller's system message is an input entry for guards and a tagged system message for the model", () => {
    expect(begin.entries).toHaveLength(2);
    expect(callers(begin)).toEqual(['Call me 4111.']);
  });

  test("A caller's system message is redacted for the model if a guard redacts its entry", () => {
    const next = applyOps(begin, [{ op: 'replace', message: buildTextMessage('s1', 'system', 'Call me ***.') }]);
    expect(callers(next)).toEqual(['Call me ***.']);
  });

  test("A caller's system message is removed for the model if a guard removes its entry", () => {
    expect(callers(applyOps(begin, [{ op: 'remove', ids: ['s1'] }]))).toEqual([]);
  });

  test("A caller's system message is unchanged if a guard changes another entry", () => {
    const changed = applyOps(begin, [{ op: 'system', tag: CALLER_TAG, contents: ['replaced'] }]);
    expect(callers(applyOps(changed, [{ op: 'remove', ids: ['u1'] }]))).toEqual(['replaced']);
  });
});
