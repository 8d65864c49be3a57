import type { Chunk, RunResult } from '@millrace/contracts';
import { describe, expect, test } from 'vitest';
import { recordedIo } from '../testing/recorded-io.ts';
import { createJsonPrinter, createTextPrinter } from './answer-printer.ts';

const base = { runId: 'r', from: 'AGENT' as const };
const text = (words: string, id = '0'): Chunk => ({ ...base, type: 'text-delta', payload: { id, text: words } });
const retract = (index: number): Chunk => ({ ...base, type: 'retract', payload: { index } });
const stepFinish: Chunk = { ...base, type: 'step-finish', payload: { stepResult: { reason: 'stop' }, output: {} } };
const tool = { toolCallId: 'c', toolName: 'calculator' };
const result = (more: Partial<RunResult> = {}): RunResult => ({
  runId: 'r',
  status: 'finished',
  text: '',
  finishReason: 'stop',
  usage: {},
  messages: [],
  steps: [],
  violations: [],
  ...more,
});

function print(chunks: Chunk[], ended = result(), { isTerminal = false, json = false } = {}) {
  const recorded = recordedIo({ isTerminal });
  const printer = json ? createJsonPrinter(recorded.io) : createTextPrinter(recorded.io);
  chunks.forEach((chunk, index) => printer.printChunk({ epoch: 1, index, chunk }));
  printer.printResult(ended);
  return recorded;
}

describe('the answer', () => {
  test('The text printer writes only the answer to stdout, followed by a line break', () => {
    const { out, err } = print([text('Hel'), text('lo')]);
    expect([out(), err()]).toEqual(['Hello\n', '']);
  });

  test('The text printer starts a new line for each part and each step', () => {
    const parts = [text('Let me see.', '0'), stepFinish, text('391', '0'), text(' it is', '0'), text('Also', '1')];
    expect(print(parts).out()).toBe('Let me see.\n391 it is\nAlso\n');
  });

  test("The text printer writes the result's text if the stream yielded none", () => {
    expect(print([], result({ text: 'from the state' })).out()).toBe('from the state\n');
    expect(print([text('streamed')], result({ text: 'streamed' })).out()).toBe('streamed\n');
  });

  test('The text printer escapes control characters on a terminal and writes exact bytes to a pipe', () => {
    const evil = '\u001b]52;c;aGk=\u0007ok\r\n\tfine';
    expect(print([text(evil)]).out()).toBe(`${evil}\n`);
    expect(print([text(evil)], result(), { isTerminal: true }).out()).toBe('\uFFFD]52;c;aGk=\uFFFDok\r\n\tfine\n');
  });
});

describe('retracted text', () => {
  test('The text printer reports a retraction and continues with the stream', () => {
    const { out, err } = print([text('bad'), retract(0), text('good')], result(), { isTerminal: true });
    expect(err()).toBe('[withdrawn] the text above is void\n');
    expect(out()).toBe('bad\ngood\n');
  });

  test('The text printer reports a retraction of the end of the text', () => {
    expect(print([text('keep '), text('drop'), retract(1)]).err()).toContain('the last 4 characters');
  });

  test('The text printer reports no retraction if none of the text was printed', () => {
    expect(print([text('keep'), stepFinish, retract(1)]).err()).toBe('');
  });
});

describe('notices on stderr', () => {
  test('The text printer writes tool calls with their results to stderr', () => {
    const { out, err } = print([
      { ...base, type: 'tool-call', payload: { ...tool, args: { expression: '17 * 23' } } },
      { ...base, type: 'tool-result', payload: { ...tool, result: 391 } },
      { ...base, type: 'tool-error', payload: { ...tool, error: { message: 'no' } } },
      { ...base, type: 'tool-output-denied', payload: { ...tool, reason: 'not you' } },
    ]);
    expect(out()).toBe('');
    expect(err().split('\n')).toEqual([
      '[tool] calculator {"expression":"17 * 23"}',
      '[tool] calculator → 391',
      '[tool] calculator failed: {"message":"no"}',
      '[tool] calculator denied: not you',
      '',
    ]);
  });

  test("The text printer writes the guards' findings and the reason of a block to stderr", () => {
    const { err } = print([], {
      ...result({ status: 'aborted', tripwire: { reason: 'injection', processorId: 'prompt-injection' } }),
      violations: [
        { processorId: 'pii', rule: 'email', count: 3 },
        { processorId: 'keyword', count: 1 },
      ],
    });
    expect(err()).toBe(
      '[pii] 3 findings of email\n[keyword] one finding\naborted (blocked by prompt-injection): injection\n',
    );
  });

  test('The text printer writes an error with its code, path and remedy to stderr', () => {
    const error = {
      code: 'processor-not-there' as const,
      message: 'pii is not there',
      path: 'processInput',
      remedy: 'Start it.',
    };
    const { err } = print([], result({ status: 'failed', error }));
    expect(err()).toBe('error: pii is not there (processor-not-there)\n  at: processInput\n  remedy: Start it.\n');
  });
});

test('The JSON printer writes one complete chunk per line', () => {
  const chunks = [text('a\nb'), retract(0)];
  const lines = print(chunks, result(), { json: true }).out().trimEnd().split('\n');
  expect(lines.map((line): unknown => JSON.parse(line))).toEqual(chunks);
});

describe('a suspended run', () => {
  const pending = { id: '1', by: 'gate', payload: 'May it be\nsent?', expiresAt: '2026-01-08T00:00:00.000Z' };
  const suspendedChunk = (more: object): Chunk => ({
    ...base,
    type: 'suspended',
    payload: { expiresAt: pending.expiresAt, pending: [{ ...pending, kind: 'approval', ...more }] },
  });

  test('The text printer prints the pending items of a suspended run and the command that answers them', () => {
    const { err } = print([text('Hi'), suspendedChunk({})], result({ status: 'suspended' }));
    expect(err()).toMatch(/^\[approval\] gate: May it be.+sent\?\n {2}millrace runs approve r, or deny/);
  });

  test('The text printer prints the token of a question', () => {
    const question = suspendedChunk({ kind: 'question', resumeToken: 'tok' });
    const { err } = print([question], result({ status: 'suspended' }));
    expect(err()).toContain('millrace runs answer r TEXT --token tok');
  });
});
