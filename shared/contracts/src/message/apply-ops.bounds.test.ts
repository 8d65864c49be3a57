// Applies thousands of operations to thousands of messages: the cost per message must not grow with the number of
// operations.
import { expect, test } from 'vitest';
import { applyOps } from './apply-ops.ts';
import type { Conversation, MessageOp } from './conversation.ts';
import { buildTextMessage, type Message } from './message.ts';

const MANY = 500;
let looks = 0;
const countLooks = (value: string): PropertyDescriptor => ({
  enumerable: true,
  get() {
    looks += 1;
    return value;
  },
});
/** Each read of an id or a role is counted. */
const countReads = (id: string): Message =>
  Object.defineProperties(buildTextMessage(id, 'user', 'x'), { id: countLooks(id), role: countLooks('user') });
const countedSystem = (tag: string) => Object.defineProperty({ tag, content: 'x' }, 'tag', countLooks(tag));
const numbers = Array.from({ length: MANY }, (_, at) => at);
const add = (at: number, more: { source?: 'remembered'; before?: string; message?: Message } = {}): MessageOp => ({
  op: 'add',
  source: 'context',
  message: countReads(`new-${at}`),
  ...more,
});
const replace = (at: number): MessageOp => ({ op: 'replace', message: countReads(`m${at}`) });
const remove = (...ids: string[]): MessageOp => ({ op: 'remove', ids });

test.each<[string, (at: number) => MessageOp[]]>([
  ['additions', (at) => [add(at)]],
  ['additions of remembered messages', (at) => [add(at, { source: 'remembered' })]],
  ['additions before another one', (at) => [add(at, { before: `m${MANY - 1}` })]],
  ['additions of present messages', (at) => [add(at, { message: countReads(`m${at}`) })]],
  ['removals', (at) => [remove(`m${at}`)]],
  ['removals of absent messages', (at) => [remove(), remove(`nobody-${at}`)]],
  ['replacements', (at) => [replace(at)]],
  ['replacements with others between them', (at) => [replace(at), remove(), add(at), remove(`new-${at}`)]],
  ['system messages', (at) => [{ op: 'system-add', tag: `t${at}`, contents: [`${at}`] }]],
])('%s', (_name, opsAt) => {
  const given: Conversation = {
    entries: numbers.map((at) => ({ source: 'input', message: countReads(`m${at}`) })),
    system: numbers.map((at) => countedSystem(`t${at}`)),
  };
  const ops = numbers.flatMap(opsAt);
  looks = 0;
  applyOps(given, ops);
  expect(looks).toBeLessThan(10 * (MANY + ops.length));
});
