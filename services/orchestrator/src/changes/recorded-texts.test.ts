import { buildTextMessage, type Chunk } from '@millrace/contracts';
import { describe, expect, test } from 'vitest';
import { findFinalText, listChunkChanges } from './recorded-texts.ts';
import { makeState } from '../testing/run-states.ts';

const call = { toolCallId: 'c1', toolName: 'look' };
const result = (value: string, id = 'c1'): Chunk => ({
  type: 'tool-result',
  runId: 'r',
  from: 'AGENT',
  payload: { ...call, toolCallId: id, args: {}, result: value },
});
const finish = (text: string): Chunk => ({
  type: 'finish',
  runId: 'r',
  from: 'AGENT',
  payload: { stepResult: { reason: 'stop' }, output: {}, messages: [buildTextMessage('m1', 'assistant', text)] },
});

describe('listChunkChanges', () => {
  test('A changed result and a changed message of the finish are two changes', () => {
    expect(listChunkChanges([result('a'), finish('b')], [result('x'), finish('y')])).toEqual([
      { place: { part: 'result', toolCallId: 'c1' }, before: 'a', after: 'x' },
      { place: { part: 'message', messageId: 'm1' }, before: 'b', after: 'y' },
    ]);
  });

  test('A dropped result is a change to the empty text', () => {
    expect(listChunkChanges([result('a'), result('b', 'c2')], [result('b', 'c2')])).toEqual([
      { place: { part: 'result', toolCallId: 'c1' }, before: 'a', after: '' },
      { place: { part: 'arguments', toolCallId: 'c1' }, before: '{}', after: '' },
    ]);
  });

  test('Unchanged chunks are no change', () => {
    expect(listChunkChanges([result('a'), finish('b')], [result('a'), finish('b')])).toEqual([]);
  });
});

describe('findFinalText', () => {
  const place = { part: 'result' as const, toolCallId: 'c1' };
  const step = (...ids: string[]) => {
    const toolResults = ids.map((id) => ({ ...call, toolCallId: id, args: {}, result: 'a', isError: false }));
    const answered = { stepNumber: 0, text: '', reasoning: '', toolCalls: [], finishReason: 'stop', usage: {} };
    return { ...makeState(), steps: [{ ...answered, toolResults, model: 'm', fromCache: false }] };
  };

  test('The result of a call is that of its step', () => {
    expect(findFinalText(place, 0, step('c1', 'c2'))).toBe('a');
    expect(findFinalText(place, 1, step('c1'))).toBeUndefined();
  });

  test('Two calls of a step with one id have no final text', () => {
    expect(findFinalText(place, 0, step('c1', 'c1'))).toBeUndefined();
  });

  test('A system message has no final text', () => {
    expect(findFinalText({ part: 'system' }, 0, step('c1'))).toBeUndefined();
  });
});
