// Operations that are applied together have the same result as one after the other.
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { ConversationDraft, applyOps } from './apply-ops.ts';
import { CALLER_TAG, sourceSchema, type Conversation, type MessageOp } from './conversation.ts';
import { readMessageText, buildTextMessage } from './message.ts';
import { applyPlainly } from '../testing/apply-plainly.ts';

const id = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'constructor');
const tag = fc.constantFrom('t', 'u', CALLER_TAG);
const text = fc.constantFrom('x', 'y');
const source = fc.constantFrom(...sourceSchema.options);
const message = fc
  .tuple(id, fc.constantFrom('user' as const, 'system' as const), text)
  .map(([own, role, said]) => buildTextMessage(own, role, said));
const system = fc.array(fc.record({ tag, content: text }), { maxLength: 5 });
const contents = fc.array(text, { maxLength: 2 });
const op: fc.Arbitrary<MessageOp> = fc.oneof(
  fc.record(
    { op: fc.constant('add' as const), source, message, before: id },
    { requiredKeys: ['op', 'source', 'message'] },
  ),
  fc.record({ op: fc.constant('remove' as const), ids: fc.array(id, { maxLength: 3 }) }),
  fc.record({ op: fc.constant('replace' as const), message }),
  fc.record({ op: fc.constant('system' as const), tag, contents }),
  fc.record({ op: fc.constant('system-add' as const), tag, contents }),
  fc.record({ op: fc.constant('system-all' as const), messages: system }),
);
/** Includes duplicate ids and split groups. */
const conversation = fc.record({ entries: fc.array(fc.record({ source, message }), { maxLength: 6 }), system });

const toComparable = ({ entries, system: groups }: Conversation) => ({
  entries: entries.map((entry) => [entry.source, entry.message.id, entry.message.role, readMessageText(entry.message)]),
  system: groups.map(({ tag: of, content }) => `${of}: ${content}`),
});
const outcome = (make: () => Conversation) => {
  try {
    return toComparable(make());
  } catch {
    return 'refused';
  }
};

test('applyOps of all operations at once equals the reference', () => {
  fc.assert(
    fc.property(conversation, fc.array(op, { maxLength: 16 }), (given, ops) => {
      const before = structuredClone(given);
      const plain = outcome(() => ops.reduce(applyPlainly, given));
      expect(outcome(() => applyOps(given, ops))).toEqual(plain);
      expect(given).toEqual(before);
    }),
    { numRuns: 3_000 },
  );
});

test('applyOps with a read after each operation equals the reference', () => {
  fc.assert(
    fc.property(conversation, fc.array(op, { maxLength: 16 }), (given, ops) => {
      const draft = new ConversationDraft(given);
      let plain: Conversation = given;
      for (const one of ops) {
        const next = outcome(() => applyPlainly(plain, one));
        const drafted = outcome(() => (draft.apply(one), draft.conversation()));
        expect(drafted).toEqual(next);
        if (next !== 'refused') plain = applyPlainly(plain, one);
      }
    }),
    { numRuns: 1_000 },
  );
});
