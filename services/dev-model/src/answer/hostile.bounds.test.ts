// Texts made to keep pattern matching busy: whoever can reach the stand-in may send them.
import { describe, expect, test } from 'vitest';
import { conversation, system, user } from '../testing/conversation-under-test.ts';
import { standInReply } from './answer.ts';

const schema = { type: 'object', properties: { name: { type: 'string' }, notes: { type: 'array' } } };

describe('an answer to a hostile text', () => {
  test.each([
    ['spaces', `What is 1 + 1${' '.repeat(200_000)}x?`],
    ['brackets', `${'[a] '.repeat(50_000)}user`],
    ['stars', `Memory:\nname: ${'*'.repeat(200_000)}x`],
    ['questions', `${'know '.repeat(40_000)}?`],
    ['statements', 'My name is Ada. '.repeat(5_000)],
    ['possessions', `my ${'my dog '.repeat(30_000)}is`],
    ['braces', '{"a":'.repeat(40_000)],
    ['closed braces', '{"a":1}'.repeat(20_000)],
    ['punctuation', '?!.'.repeat(100_000)],
    ['quotes', `${'"'.repeat(200_000)}: x`],
    ['lines', 'a: b\n'.repeat(20_000)],
    ['tags', '<'.repeat(200_000)],
    ['one word', 'x'.repeat(1_000_000)],
  ])('of %s takes no more than seconds of processor time', (_, text) => {
    const turns = [system(text), user(text)];
    const before = process.cpuUsage();
    standInReply(conversation(turns));
    standInReply(conversation(turns, { tools: [], format: { type: 'json_schema', schema } }));
    const { user: own, system: kernel } = process.cpuUsage(before);
    expect(own + kernel).toBeLessThan(3_000_000);
  });
});
