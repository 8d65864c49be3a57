// Labels thousands of operations on thousands of messages: the cost per operation must not grow with the conversation.
import { expect, test } from 'vitest';
import type { Conversation, MessageOp, SystemMessage } from './conversation.ts';
import { labelOps } from './label-changes.ts';
import { buildTextMessage } from './message.ts';

const MANY = 500;
const numbers = Array.from({ length: MANY }, (_, at) => at);
let looks = 0;
const countedSystem = (tag: string): SystemMessage =>
  Object.defineProperty({ tag, content: 'x' }, 'tag', {
    enumerable: true,
    get() {
      looks += 1;
      return tag;
    },
  });

test.each<[string, (at: number) => MessageOp]>([
  ['system messages of a group', (at) => ({ op: 'system', tag: `t${at}`, contents: [`${at}`] })],
  ['added system messages', (at) => ({ op: 'system-add', tag: `t${at}`, contents: [`${at}`] })],
  ['all system messages', (at) => ({ op: 'system-all', messages: [{ tag: 't', content: `${at}` }] })],
  ['messages', (at) => ({ op: 'add', source: 'context', message: buildTextMessage(`m${at}`, 'user', 'x') })],
])('operations on %s read each known system message a few times', (_name, makeOp) => {
  const given: Conversation = { entries: [], system: numbers.map((at) => countedSystem(`t${at}`)) };
  looks = 0;
  const ops = labelOps(given, numbers.map(makeOp), { cap: 'trusted', unlabelled: 'trusted', origin: 'processor:p' });
  expect(ops).toHaveLength(MANY);
  expect(looks).toBeLessThan(10 * MANY);
});
