// Texts that make a pattern backtrack: every client of the port can send them.
import { describe, expect, test } from 'vitest';
import { conversation, system, user } from '../testing/conversation-under-test.ts';
import { findCannedReply } from './canned-reply.ts';

const schema = { type: 'object', properties: { name: { type: 'string' }, notes: { type: 'array' } } };

describe('answers to hostile texts', () => {
  test.each([
    ['spaces', `What is 1 + 1${' '.repeat(200_000)}x?`],
    ['sums', `What is 1${' + 1'.repeat(200_000)}`],
    ['signs', `What is ${'-('.repeat(200_000)}1`],
    ['questions', 'What is '.repeat(40_000)],
    ['statements', 'My name is Ada. '.repeat(20_000)],
    ['names', `my name is ${'A '.repeat(100_000)}`],
    ['memories', 'I parked '.repeat(40_000)],
    ['quotes', `name${'"'.repeat(200_000)}: x`],
    ['one word', 'x'.repeat(1_000_000)],
  ])('the answer to %s takes less than three seconds of processor time', (_, text) => {
    const turns = [system(text), user(`${text} Where did I park? What is my name? Where do I live?`)];
    const before = process.cpuUsage();
    findCannedReply(conversation(turns));
    findCannedReply(conversation(turns, { tools: [], format: { type: 'json_schema', schema } }));
    const { user: own, system: kernel } = process.cpuUsage(before);
    expect(own + kernel).toBeLessThan(3_000_000);
  });
});
