import type { Chunk } from '@millrace/contracts';
import { describe, expect, test } from 'vitest';
import { buildAnswer } from './answer-pieces.ts';
import { addChunks, EMPTY_HISTORY } from '../runs/chunk-history.ts';

const base = { runId: 'run-1', from: 'AGENT' as const };
const build = (...chunks: Chunk[]) =>
  buildAnswer(
    addChunks(
      EMPTY_HISTORY,
      chunks.map((chunk, index) => ({ epoch: 1, index, chunk })),
    ),
  );
const call: Chunk = { type: 'tool-call', ...base, payload: { toolCallId: 'c1', toolName: 'clock', args: {} } };

describe('the pieces of an answer', () => {
  test('Adjacent deltas are one text, and a call separates two', () => {
    const delta = (text: string): Chunk => ({ type: 'text-delta', ...base, payload: { id: 't', text } });
    const { pieces } = build(delta('a'), delta('b'), call, delta('c'));
    expect(pieces.map((piece) => (piece.kind === 'text' ? piece.text : piece.kind))).toEqual(['ab', 'call', 'c']);
  });

  test.each([
    ['https://example.com/a', 'https://example.com/a'],
    ['javascript:alert(1)', undefined],
    ['data:text/html,x', undefined],
  ])('A source with the address %s has the link %s', (url, link) => {
    const source: Chunk = { type: 'source', ...base, payload: { id: 's', sourceType: 'url', title: 'A', url } };
    expect(build(source).pieces).toMatchObject([{ kind: 'source', title: 'A', url: link }]);
  });

  test.each<[string, Chunk, object]>([
    [
      'a result',
      { type: 'tool-result', ...base, payload: { toolCallId: 'c1', toolName: 'clock', result: 7 } },
      { state: 'done', result: 7 },
    ],
    [
      'an error',
      { type: 'tool-error', ...base, payload: { toolCallId: 'c1', toolName: 'clock', error: 'no' } },
      { state: 'error', result: 'no' },
    ],
    [
      'a denial',
      { type: 'tool-output-denied', ...base, payload: { toolCallId: 'c1', toolName: 'clock', reason: 'Not now.' } },
      { state: 'denied', reason: 'Not now.' },
    ],
    ['nothing yet', { type: 'step-start', ...base, payload: {} }, { state: 'running' }],
  ])('A call has %s', (_, chunk, expected) => {
    expect(build(call, chunk).pieces).toMatchObject([{ kind: 'call', tool: 'clock', ...expected }]);
  });

  test.each<[string, Chunk, object]>([
    [
      'blocked',
      { type: 'tripwire', ...base, payload: { reason: 'No.', processorId: 'pii' } },
      { kind: 'blocked', reason: 'No.', processor: 'pii' },
    ],
    [
      'failed',
      { type: 'error', ...base, payload: { error: { code: 'timeout', message: 'Too late.' } } },
      { kind: 'failed', message: 'Too late.' },
    ],
    ['cancelled', { type: 'abort', ...base, payload: {} }, { kind: 'cancelled' }],
  ])('A run that is %s has an ending', (_, chunk, expected) => {
    expect(build(chunk).ending).toEqual(expected);
  });
});
