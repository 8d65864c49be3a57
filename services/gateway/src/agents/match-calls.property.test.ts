// Ids of calls may repeat over the turns of a history and within an answer: each call keeps its own result.
import type { Message } from '@millrace/contracts';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { convertMessages } from '../openai/chat/chat-messages.ts';
import { convertInput } from '../openai/responses/responses-request.ts';
import {
  repeatedCalls,
  writeChatHistory,
  writeResponseHistory,
  writeUiHistory,
  type CallTurn,
} from '../testing/repeated-calls.ts';
import { convertUiMessages, uiRequestSchema } from '../ui/ui-request.ts';
import { matchCalls } from './match-calls.ts';

const options = { acceptsSystem: false, hasHistory: false };
const CONVERSIONS: Record<string, (turns: readonly CallTurn[]) => Message[]> = {
  'chat completions': (turns) => convertMessages(writeChatHistory(turns, 'And now?'), options),
  responses: (turns) => convertInput({ input: writeResponseHistory(turns, 'And now?') }, options),
  useChat: (turns) =>
    convertUiMessages(
      uiRequestSchema.parse({ id: 'chat', messages: writeUiHistory(turns, 'And now?') }).messages,
      options,
    ),
};

describe.each(Object.entries(CONVERSIONS))('a history of %s whose ids repeat', (_name, convert) => {
  test('gives each call its own result, and ids of at most 40 characters that differ', () => {
    fc.assert(
      fc.property(repeatedCalls, (turns) => {
        const messages = convert(turns);
        const parts = messages.flatMap(({ content }) => content.parts);
        const calls = parts.flatMap((part) => (part.type === 'tool-invocation' ? [part.toolInvocation] : []));
        const expected = turns.flatMap((turn) => turn.calls);
        expect(calls.map(({ args, result }) => [args, result])).toEqual(
          expected.map(({ city, result }) => [{ city }, result]),
        );
        const ids = calls.map(({ toolCallId }) => toolCallId);
        expect(new Set(ids).size).toBe(ids.length);
        expect(ids.every((id) => id.length <= 40)).toBe(true);
        expect(messages.some(({ role }) => role === 'tool')).toBe(false);
        expect(convert(turns).flatMap(({ content }) => content.parts)).toEqual(parts);
      }),
      { numRuns: 500 },
    );
  });
});

test('A result belongs to the latest answer before it, and a result before its call to the first one', () => {
  const call = (id: string) => ({ role: 'assistant', callIds: [id] });
  const result = (id: string) => ({ role: 'tool', resultId: id });
  const user = { role: 'user' };
  const places = (...steps: Parameters<typeof matchCalls>[0]) =>
    matchCalls(steps).flatMap((calls) => calls.map(({ resultAt }) => resultAt));
  expect(places(call('0'), user, call('0'), result('0'))).toEqual([undefined, 3]);
  expect(places(call('0'), call('0'), result('0'), result('0'))).toEqual([2, 3]);
  expect(places(result('0'), call('0'), user, call('0'))).toEqual([0, undefined]);
  expect(places(call('0'), result('0'), result('0'), user, call('0'), result('0'))).toEqual([1, 5]);
});
