import { describe, expect, test } from 'vitest';
import { applyOps } from './apply-ops.ts';
import type { Conversation, ConversationEntry } from './conversation.ts';
import { buildTextMessage, type Message } from './message.ts';
import { reconcile, RETURNED_SYSTEM_TAG } from './reconcile.ts';

const createdAt = '2026-01-01T00:00:00.000Z';
const message = (id: string, text = id): Message => ({ ...buildTextMessage(id, 'user', text), createdAt });
const entries = (...ids: string[]): ConversationEntry[] => ids.map((id) => ({ source: 'input', message: message(id) }));
const applyReturned = (given: ConversationEntry[], returned: Message[]): Conversation =>
  applyOps({ entries: given, system: [] }, reconcile(given, returned, 'context'));

describe('a returned array of messages', () => {
  test('An unchanged array produces no operations', () => {
    expect(reconcile(entries('a', 'b'), [message('a'), message('b')], 'context')).toEqual([]);
  });

  test('A missing id is removed, a changed message replaced, and a new one added with the source of the stage', () => {
    const ops = reconcile(entries('a', 'b'), [message('b', 'changed'), message('new')], 'context');
    expect(ops).toEqual([
      { op: 'remove', ids: ['a'] },
      { op: 'replace', message: message('b', 'changed') },
      { op: 'add', source: 'context', message: message('new') },
    ]);
  });

  test('An empty array removes all messages', () => {
    expect(applyReturned(entries('a', 'b'), []).entries).toEqual([]);
  });

  test('A replaced message keeps its source', () => {
    const given: ConversationEntry[] = [{ source: 'remembered', message: message('a') }];
    expect(applyReturned(given, [message('a', 'changed')]).entries[0]?.source).toBe('remembered');
  });

  test('System entries become one group of system messages, at any position', () => {
    const system = (id: string): Message => ({ ...message(id), role: 'system' });
    const result = applyReturned(entries('a'), [system('one'), message('a'), system('two')]);
    expect(result.entries.map((entry) => entry.message.id)).toEqual(['a']);
    expect(result.system).toEqual([
      { tag: RETURNED_SYSTEM_TAG, content: 'one' },
      { tag: RETURNED_SYSTEM_TAG, content: 'two' },
    ]);
  });

  test("Messages outside the method's argument are unchanged", () => {
    const [mine, other] = entries('mine', 'other');
    if (!mine || !other) throw new Error('two were made');
    const ops = reconcile([mine], [], 'context');
    expect(applyOps({ entries: [other, mine], system: [] }, ops).entries).toEqual([other]);
  });
});

test('The operations convert the given list to the returned one, for every subset with one new message at every position', () => {
  const given = entries('a', 'b', 'c');
  for (let kept = 0; kept < 8; kept++) {
    const subset = given.map((entry) => entry.message).filter((_, bit) => (kept >> bit) & 1);
    for (let place = 0; place <= subset.length; place++) {
      const returned = subset.toSpliced(place, 0, message('x'));
      expect(applyReturned(given, returned).entries.map((entry) => entry.message)).toEqual(returned);
    }
  }
});

test('Several new messages in sequence keep their order', () => {
  const returned = ['x', 'y', 'a', 'z', 'w', 'b', 'v'].map((id) => message(id));
  expect(applyReturned(entries('a', 'b'), returned).entries.map((entry) => entry.message)).toEqual(returned);
});
