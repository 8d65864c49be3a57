import { describe, expect, test } from 'vitest';
import { applyOps } from './apply-ops.ts';
import {
  emptyConversation,
  messagesOf,
  type Conversation,
  type MessageOp,
  CALLER_TAG,
  withCallerSystem,
} from './conversation.ts';
import { messageText, textMessage } from './message.ts';

const message = (id: string, text = id) => textMessage(id, 'user', text);
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
  test('puts a message at the end', () => {
    expect(ids(conversation(add('a'), add('b', 'response'), add('c', 'context')))).toEqual(['a', 'b', 'c']);
  });

  test('puts remembered messages before everything of this run, in the order in which they come', () => {
    expect(ids(conversation(add('now'), add('old-1', 'remembered'), add('old-2', 'remembered')))).toEqual([
      'old-1',
      'old-2',
      'now',
    ]);
  });

  test('puts a message before the one that it names', () => {
    expect(ids(conversation(add('a'), add('b'), add('x', 'context', 'b')))).toEqual(['a', 'x', 'b']);
  });

  test('puts it at the end when the one that it names is not there', () => {
    expect(ids(conversation(add('a'), add('x', 'context', 'gone')))).toEqual(['a', 'x']);
  });

  test('of an id that is there replaces it in place: adding twice is adding once', () => {
    const twice = applyOps(conversation(add('a'), add('b')), [
      { op: 'add', source: 'context', message: message('a', 'new') },
    ]);
    expect(ids(twice)).toEqual(['a', 'b']);
    expect(twice.entries[0]).toMatchObject({ message: { content: { parts: [{ text: 'new' }] } } });
  });

  test.each(['remembered', 'context', 'response'] as const)(
    'of an id that is there keeps its source: what the caller said does not become %s, which guards do not judge',
    (source) => {
      expect(conversation(add('a', 'input'), add('a', source)).entries.map((entry) => entry.source)).toEqual(['input']);
    },
  );
});

describe('remove', () => {
  test('takes out the messages that it names and leaves the rest', () => {
    expect(ids(conversation(add('a'), add('b'), add('c'), { op: 'remove', ids: ['a', 'c', 'unknown'] }))).toEqual([
      'b',
    ]);
  });
});

describe('replace', () => {
  test('keeps place and source', () => {
    const replaced = conversation(add('a', 'remembered'), add('b'), { op: 'replace', message: message('a', 'new') });
    expect(replaced.entries[0]?.source).toBe('remembered');
    expect(messagesOf(replaced).map(messageText)).toEqual(['new', 'b']);
  });

  test('of a message that is not there is refused, by its id', () => {
    expect(() => conversation({ op: 'replace', message: message('ghost') })).toThrow('There is no message "ghost"');
  });
});

describe('replacements that follow one another', () => {
  const said = (id: string, role: 'user' | 'system', text: string) => textMessage(id, role, text);
  const given = conversation(
    { op: 'add', source: 'input', message: said('a', 'system', 'rules') },
    add('b'),
    add('c', 'remembered'),
    { op: 'system', tag: 'last', contents: ['l'] },
  );
  const choices: MessageOp[] = [
    { op: 'replace', message: said('a', 'user', 'no rules') },
    { op: 'replace', message: said('a', 'system', 'other rules') },
    { op: 'replace', message: said('b', 'system', 'more rules') },
    { op: 'replace', message: said('b', 'user', 'x') },
    { op: 'replace', message: said('c', 'system', 'remembered rules') },
    { op: 'remove', ids: ['a'] },
  ];
  const outcome = (apply: () => Conversation): unknown => {
    try {
      return apply();
    } catch (error) {
      return String(error);
    }
  };

  test('come to what they come to one after the other', () => {
    const picks = Array.from({ length: choices.length ** 4 }, (_, number) =>
      [0, 1, 2, 3].map((digit) => Math.floor(number / choices.length ** digit) % choices.length),
    );
    for (const pick of picks) {
      const ops = pick.flatMap((at) => choices[at] ?? []);
      const oneByOne = outcome(() => ops.reduce((changed, op) => applyOps(changed, [op]), given));
      expect(outcome(() => applyOps(given, ops))).toEqual(oneByOne);
    }
  });

  test('look at each message a few times, however many there are', () => {
    let looks = 0;
    const counted = (at: number) =>
      Object.defineProperty(message(`m${at}`), 'id', {
        enumerable: true,
        get: () => {
          looks += 1;
          return `m${at}`;
        },
      });
    const many = Array.from({ length: 500 }, (_, at) => counted(at));
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
  const shown = (given: Conversation) => given.system.map(({ tag, content }) => `${tag}:${content}`);

  test('a group that is replaced keeps its place, a new one comes last', () => {
    const given = conversation(system('one', 'a', 'b'), system('two', 'c'), system('one', 'd'), system('three', 'e'));
    expect(shown(given)).toEqual(['one:d', 'two:c', 'three:e']);
  });

  test('an empty group is removed', () => {
    expect(shown(conversation(system('one', 'a'), system('two', 'b'), system('one')))).toEqual(['two:b']);
  });

  test('a group whose members stand apart comes together at the place of its first', () => {
    const apart: MessageOp = {
      op: 'system-all',
      messages: [
        { tag: 'one', content: 'a' },
        { tag: 'two', content: 'b' },
        { tag: 'one', content: 'c' },
      ],
    };
    expect(shown(conversation(apart, system('one', 'd')))).toEqual(['one:d', 'two:b']);
  });

  test('what is added comes after what the group has, and makes the group where there is none', () => {
    const added: MessageOp = { op: 'system-add', tag: 'one', contents: ['c', 'd'] };
    expect(shown(conversation(system('one', 'a'), system('two', 'b'), added))).toEqual([
      'one:a',
      'one:c',
      'one:d',
      'two:b',
    ]);
    expect(shown(conversation(system('two', 'b'), added))).toEqual(['two:b', 'one:c', 'one:d']);
  });

  test('all of them can be replaced at once', () => {
    const all: MessageOp = { op: 'system-all', messages: [{ tag: 'x', content: 'only' }] };
    expect(shown(conversation(system('one', 'a'), all))).toEqual(['x:only']);
  });
});

test('operations leave the conversation that they are applied to as it was', () => {
  const before = conversation(add('a'), { op: 'system', tag: 't', contents: ['s'] });
  const copy = structuredClone(before);
  applyOps(before, [add('b'), { op: 'remove', ids: ['a'] }, { op: 'system-all', messages: [] }]);
  expect(before).toEqual(copy);
});

test('messages are read by source, all of them when none is named', () => {
  const given = conversation(add('i'), add('r', 'response'), add('m', 'remembered'), add('c', 'context'));
  expect(messagesOf(given, 'input', 'context').map(({ id }) => id)).toEqual(['i', 'c']);
  expect(messagesOf(given).map(({ id }) => id)).toEqual(['m', 'i', 'r', 'c']);
});

describe("a caller's system message", () => {
  const begin = withCallerSystem({
    entries: [
      { source: 'input', message: textMessage('s1', 'system', 'Call me 4111.') },
      { source: 'input', message: textMessage('u1', 'user', 'hello') },
    ],
    system: [{ tag: 'instructions', content: 'Be brief.' }],
  });
  const callers = ({ system }: Conversation) =>
    system.filter(({ tag }) => tag === CALLER_TAG).map(({ content }) => content);

  test('is an entry of input, for guards, and a tagged system message, for the model', () => {
    expect(begin.entries).toHaveLength(2);
    expect(callers(begin)).toEqual(['Call me 4111.']);
  });

  test('is redacted for the model where a guard redacts its entry', () => {
    const next = applyOps(begin, [{ op: 'replace', message: textMessage('s1', 'system', 'Call me ***.') }]);
    expect(callers(next)).toEqual(['Call me ***.']);
  });

  test('is gone for the model where a guard removes its entry', () => {
    expect(callers(applyOps(begin, [{ op: 'remove', ids: ['s1'] }]))).toEqual([]);
  });

  test('is left as it is where another entry changes', () => {
    const changed = applyOps(begin, [{ op: 'system', tag: CALLER_TAG, contents: ['replaced'] }]);
    expect(callers(applyOps(changed, [{ op: 'remove', ids: ['u1'] }]))).toEqual(['replaced']);
  });
});
