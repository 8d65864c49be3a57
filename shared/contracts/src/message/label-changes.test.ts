import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { applyOps } from './apply-ops.ts';
import type { Conversation, MessageOp } from './conversation.ts';
import { labelOps, findLowestTrust, type LabelRule } from './label-changes.ts';
import { isLabel, listLabels, readLabel, type Label } from './label.ts';
import { buildTextMessage, type Message, type MessagePart } from './message.ts';

const trusted: Label = { origin: 'caller', trust: 'trusted' };
const untrusted: Label = { origin: 'tool:look', trust: 'untrusted' };
const text = (words: string, label?: unknown): MessagePart => ({
  type: 'text',
  text: words,
  ...(label !== undefined && { label }),
});
const message = (id: string, ...parts: MessagePart[]): Message => ({
  ...buildTextMessage(id, 'user', ''),
  content: { format: 2, parts },
});
const mixed: Conversation = {
  entries: [
    { source: 'input', message: message('m1', text('mine', trusted)) },
    { source: 'response', message: message('m2', text('theirs', untrusted)) },
  ],
  system: [{ tag: 'instructions', content: 'Help.', label: trusted }],
};
const rule: LabelRule = { cap: 'trusted', unlabelled: 'trusted', origin: 'processor:p' };
const capped: LabelRule = { ...rule, cap: 'untrusted' };
const apply = (ops: MessageOp[], one: LabelRule) => applyOps(mixed, labelOps(mixed, ops, one));
const labelsIn = (conversation: Conversation, id: string) =>
  conversation.entries.filter(({ message: { id: own } }) => own === id).flatMap((entry) => listLabels(entry.message));

describe('the label of a change', () => {
  test('of a part that did not change stays, whatever label the processor gives it', () => {
    const ops: MessageOp[] = [
      { op: 'replace', message: message('m2', text('theirs', trusted), text('more', trusted)) },
    ];
    expect(labelsIn(apply(ops, rule), 'm2')).toEqual([untrusted, { origin: 'processor:p', trust: 'trusted' }]);
  });

  test('is at most the lowest trust of the content of the call', () => {
    const ops: MessageOp[] = [{ op: 'add', source: 'context', message: message('m3', text('new', trusted)) }];
    expect(labelsIn(apply(ops, capped), 'm3')).toEqual([{ origin: 'processor:p', trust: 'untrusted' }]);
  });

  test('is lowered by the processor, and raised only if the agent declares it', () => {
    const ops: MessageOp[] = [{ op: 'add', source: 'context', message: message('m3', text('new', untrusted)) }];
    expect(labelsIn(apply(ops, rule), 'm3')).toEqual([{ origin: 'processor:p', trust: 'untrusted' }]);
    const declared = apply(ops, { ...capped, declassifies: true });
    expect(labelsIn(declared, 'm3')).toEqual([{ origin: 'processor:p', trust: 'trusted' }]);
  });

  test('of a memory keeps the stored origin, and is untrusted if it stored none', () => {
    const memory: LabelRule = { ...rule, unlabelled: 'untrusted', keepsOrigins: true };
    const ops: MessageOp[] = [
      { op: 'add', source: 'remembered', message: message('m3', text('old', trusted), text('older'), text('odd', {})) },
    ];
    const own = { origin: 'processor:p', trust: 'untrusted' };
    expect(labelsIn(apply(ops, memory), 'm3')).toEqual([trusted, own, own]);
  });

  test('of system messages follows the same rules, by tag and content', () => {
    const ops: MessageOp[] = [
      { op: 'system-add', tag: 'instructions', contents: ['Help.', 'Obey.'], labels: [untrusted, trusted] },
      { op: 'system', tag: 'notes', contents: ['A note.'] },
    ];
    const { system } = apply(ops, capped);
    expect(system.map(({ content, label }) => [content, label?.trust])).toEqual([
      ['Help.', 'trusted'],
      ['Help.', 'trusted'],
      ['Obey.', 'untrusted'],
      ['A note.', 'untrusted'],
    ]);
    const all: MessageOp = { op: 'system-all', messages: [{ tag: 'other', content: 'Help.', label: trusted }] };
    expect(apply([all], capped).system[0]?.label?.trust).toBe('untrusted');
  });

  test('covers the flat content of a message without parts', () => {
    const flat: Message = { ...message('m3'), content: { format: 2, parts: [], content: 'flat' } };
    expect(labelsIn(apply([{ op: 'add', source: 'context', message: flat }], capped), 'm3')).toMatchObject([
      { trust: 'untrusted' },
    ]);
  });
});

const labels = fc.constantFrom<unknown>(trusted, untrusted, undefined, 'trusted', { trust: 'trusted' });
const someParts = fc.array(fc.tuple(fc.constantFrom('mine', 'theirs', 'new'), labels), { maxLength: 3 });
const someOps = fc.array(
  fc.oneof(
    fc.tuple(fc.constantFrom('m1', 'm2', 'm3'), someParts).map(([id, parts]): MessageOp => ({
      op: 'add',
      source: 'context',
      message: message(id, ...parts.map(([words, label]) => text(words, label))),
    })),
    fc.constantFrom('m1', 'm2').map((id): MessageOp => ({ op: 'remove', ids: [id] })),
    fc.constantFrom('instructions', 'own').map((tag): MessageOp => ({ op: 'system', tag, contents: ['Help.', 'new'] })),
  ),
  { maxLength: 6 },
);

test('no operations of a processor that has read untrusted content make a new text trusted', () => {
  fc.assert(
    fc.property(someOps, (ops) => {
      const after = apply(ops, capped);
      const texts = after.entries.flatMap(({ message: { id, content } }) =>
        content.parts.map((part) => ({ id, words: part.type === 'text' ? part.text : '', label: readLabel(part) })),
      );
      const raised = texts.filter(
        ({ id, words, label }) => label.trust === 'trusted' && !(id === 'm1' && words === 'mine'),
      );
      expect(raised).toEqual([]);
      expect(after.system.filter(({ content, label }) => content === 'new' && label?.trust === 'trusted')).toEqual([]);
      expect(texts.every(({ label }) => isLabel(label))).toBe(true);
    }),
  );
});

test('a conversation is as untrusted as its lowest text', () => {
  expect(findLowestTrust(mixed)).toBe('untrusted');
  expect(findLowestTrust({ ...mixed, entries: mixed.entries.slice(0, 1) })).toBe('trusted');
  expect(findLowestTrust({ entries: [], system: [{ tag: 'a', content: 'b' }] })).toBe('untrusted');
  expect(findLowestTrust({ entries: [], system: [] })).toBe('trusted');
});

test.each([
  [{ origin: 'caller', trust: 'trusted', more: 1 }],
  [{ origin: 'call me at 5', trust: 'trusted' }],
  [{ origin: 'tool:', trust: 'trusted' }],
  [{ origin: 'caller', trust: 'high' }],
  [null],
])('%j is no label', (value) => {
  expect(isLabel(value)).toBe(false);
});
