import { describe, expect, test } from 'vitest';
import { applyOps } from './apply-ops.ts';
import type { Conversation, ConversationEntry } from './conversation.ts';
import { textMessage, type Message } from './message.ts';
import { reconcile, RETURNED_SYSTEM_TAG } from './reconcile.ts';

const createdAt = '2026-01-01T00:00:00.000Z';
const message = (id: string, text = id): Message => ({ ...textMessage(id, 'user', text), createdAt });
const entries = (...ids: string[]): ConversationEntry[] => ids.map((id) => ({ source: 'input', message: message(id) }));
const applied = (given: ConversationEntry[], returned: Message[]): Conversation =>
  applyOps({ entries: given, system: [] }, reconcile(given, returned, 'context'));

describe('what a returned array means', () => {
  test('the same messages mean nothing', () => {
    expect(reconcile(entries('a', 'b'), [message('a'), message('b')], 'context')).toEqual([]);
  });

  test('a missing id was removed, a changed message replaced, a new one added with the source of the stage', () => {
    const ops = reconcile(entries('a', 'b'), [message('b', 'changed'), message('new')], 'context');
    expect(ops).toEqual([
      { op: 'remove', ids: ['a'] },
      { op: 'replace', message: message('b', 'changed') },
      { op: 'add', source: 'context', message: message('new') },
    ]);
  });

  test('an empty array removes everything', () => {
    expect(applied(entries('a', 'b'), []).entries).toEqual([]);
  });

  test('a replaced message keeps its source', () => {
    const given: ConversationEntry[] = [{ source: 'remembered', message: message('a') }];
    expect(applied(given, [message('a', 'changed')]).entries[0]?.source).toBe('remembered');
  });

  test('system entries become system messages, as one group, whatever their place', () => {
    const system = (id: string): Message => ({ ...message(id), role: 'system' });
    const result = applied(entries('a'), [system('one'), message('a'), system('two')]);
    expect(result.entries.map((entry) => entry.message.id)).toEqual(['a']);
    expect(result.system).toEqual([
      { tag: RETURNED_SYSTEM_TAG, content: 'one' },
      { tag: RETURNED_SYSTEM_TAG, content: 'two' },
    ]);
  });

  test('messages outside what the method was given are left alone', () => {
    const [mine, other] = entries('mine', 'other');
    if (!mine || !other) throw new Error('two were made');
    const ops = reconcile([mine], [], 'context');
    expect(applyOps({ entries: [other, mine], system: [] }, ops).entries).toEqual([other]);
  });
});

test('the operations make of the given list the returned one: every subset, with one new message at every place', () => {
  const given = entries('a', 'b', 'c');
  for (let kept = 0; kept < 8; kept++) {
    const subset = given.map((entry) => entry.message).filter((_, bit) => (kept >> bit) & 1);
    for (let place = 0; place <= subset.length; place++) {
      const returned = subset.toSpliced(place, 0, message('x'));
      expect(applied(given, returned).entries.map((entry) => entry.message)).toEqual(returned);
    }
  }
});

test('several new messages in a row keep their order', () => {
  const returned = ['x', 'y', 'a', 'z', 'w', 'b', 'v'].map((id) => message(id));
  expect(applied(entries('a', 'b'), returned).entries.map((entry) => entry.message)).toEqual(returned);
});
